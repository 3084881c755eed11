// The start order of roles, and how long they may still run after other roles have finished.
#include <algorithm>

#include "translator.h"

namespace howdah::compat::tony::config {
namespace {

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

// TonY has at most two stages: every role of the second starts when all tracked roles of the first have finished.
void Translator::OrderStages() {
  const std::string first_key = "tony.application.prepare-stage", second_key = "tony.application.training-stage";
  std::vector<std::string> first = values_.List(first_key).value_or(std::vector<std::string>());
  std::vector<std::string> second = values_.List(second_key).value_or(std::vector<std::string>());
  if (first.empty() && second.empty()) return;
  // If one stage is not set, it consists of the roles that the other stage does not name.
  const std::vector<std::string> named = first.empty() ? second : first;
  std::vector<std::string>* unnamed = first.empty() ? &first : second.empty() ? &second : nullptr;
  for (const std::string& type : types_) {
    if (unnamed != nullptr && !Has(named, type)) unnamed->push_back(type);
  }
  std::vector<std::string> missing;
  for (const std::string& type : types_) {
    if (!Has(first, type) && !Has(second, type)) missing.push_back(type);
  }
  if (!missing.empty()) {
    values_.Fail(first_key + " and " + second_key + " do not name " + Joined(missing) +
                 "; add each role to one of them");
    return;
  }
  const std::vector<std::string> untracked = Untracked();
  for (const std::string& type : second) {
    jobspec::RoleSpec* role = Find(type);
    if (role == nullptr) continue;
    for (const std::string& before : first) {
      if (before == type || Find(before) == nullptr || Has(untracked, before)) continue;
      role->after.push_back({before, true});
    }
  }
}

void Translator::Preprocess() {
  if (!values_.Bool("tony.application.enable-preprocess", false) || types_.empty()) return;
  jobspec::RoleSpec role;
  role.name = kPreprocess;
  role.kind = jobspec::RoleKind::kSetup;
  role.memory_bytes = values_.Memory("tony.am.memory", int64_t{2} << 30);
  role.vcores = values_.Number("tony.am.vcores", 1);
  role.gpus = values_.Number("tony.am.gpus", 0);
  role.command = CommandOf("am");
  role.env = {{"PREPROCESSING_JOB", "true"}};
  role.exports = {{"MODEL_PARAMS", "Model parameters: "}};
  if (Find(role.name) != nullptr) {
    values_.Fail(
        "tony.application.enable-preprocess adds a role named preprocess, but the job has one already; rename that "
        "one");
    return;
  }
  result_.job.roles.push_back(std::move(role));
}

// Translates tony.application.dependency.<job>.timeout.after.<G>.
void Translator::LimitOutliving() {
  const std::string before = "tony.application.dependency.", between = ".timeout.after.";
  for (const auto& [key, property] : values_.configuration().properties()) {
    const size_t middle = key.find(between);
    if (!key.starts_with(before) || middle == key.npos || middle <= before.size()) continue;
    const std::string job = key.substr(before.size(), middle - before.size());
    const std::string group = key.substr(middle + between.size());
    if (group.find('.') != group.npos) continue;  // the key ends in ".ignored"
    const std::string group_key = "tony.application.group." + group;
    jobspec::RoleSpec* role = Find(job);
    std::vector<std::string> members;
    bool ends = true;
    for (const std::string& name : values_.List(group_key).value_or(std::vector<std::string>())) {
      const jobspec::RoleSpec* member = Find(name);
      if (member == nullptr || name == job) continue;
      members.push_back(name);
      ends = ends && member->kind != jobspec::RoleKind::kService;
    }
    if (role == nullptr || role->kind != jobspec::RoleKind::kWorker) {
      Note(key, "the job has no tracked role " + job);
    } else if (members.empty()) {
      Note(key, group_key + " names no other role of this job");
    } else if (!ends) {
      Note(key, "the group has untracked roles, which end only with the job");
    } else if (role->outlive) {
      Note(key, "another group already limits " + job + "; as in TonY, only one applies");
    } else {
      const Duration by = values_.Limit(key, std::chrono::seconds(1)).value_or(Duration::zero());
      const bool ignored = values_.Bool(key + ".ignored", false);
      // TonY makes the role untracked. The failure of an untracked role counts if stop-on-failure-jobtypes names it.
      const auto stopping =
          values_.List("tony.application.stop-on-failure-jobtypes").value_or(std::vector<std::string>());
      const auto then_ignored = Has(stopping, job) ? jobspec::Outlive::Then::kService : jobspec::Outlive::Then::kIgnore;
      role->outlive = jobspec::Outlive{members, by, ignored ? then_ignored : jobspec::Outlive::Then::kFail};
    }
  }
}

}  // namespace howdah::compat::tony::config
