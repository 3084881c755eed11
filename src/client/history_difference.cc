#include "howdah/client/history_difference.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/json_depth.h"
#include "howdah/client/secrets.h"

namespace howdah::client {
namespace {

using Json = nlohmann::ordered_json;
using compat::tony::history::Setting;

// The names of the elements of an array: the path in the working directory for files, otherwise the position.
std::vector<std::string> ElementNames(const Json& array) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (size_t i = 0; i < array.size(); ++i) {
    const auto to = array[i].is_object() ? array[i].find("to") : array[i].end();
    const bool is_file = array[i].is_object() && to != array[i].end() && to->is_string();
    std::string name = is_file ? to->get<std::string>() : std::to_string(i);
    if (!known.insert(name).second) name = std::to_string(i);
    names.push_back(std::move(name));
  }
  return names;
}

void Flatten(const Json& json, const std::string& name, std::vector<Setting>& settings) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items()) Flatten(value, name.empty() ? key : name + "." + key, settings);
  } else if (json.is_array() && !json.empty()) {
    const std::vector<std::string> names = ElementNames(json);
    for (size_t i = 0; i < json.size(); ++i) Flatten(json[i], name + "[" + names[i] + "]", settings);
  } else {
    settings.push_back({name, json.is_string() ? json.get<std::string>() : json.dump(), "", false});
  }
}

// Whether the setting is a variable of `env`, as in env.NAME and roles.worker.env.NAME.
bool IsVariable(std::string_view name) { return name.starts_with("env.") || name.find(".env.") != name.npos; }

bool IsSecret(std::string_view name) { return IsVariable(name) && LooksSecret(name); }

// The key within a role: "image" from "roles.worker.image". Other names are returned as they are.
std::string_view WithinRole(std::string_view name) {
  constexpr std::string_view kRoles = "roles.";
  if (!name.starts_with(kRoles)) return name;
  const size_t dot = name.find('.', kRoles.size());
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return name.starts_with(key) && (name.size() == key.size() || name[key.size()] == '.' || name[key.size()] == '[');
  });
}

std::string TextOf(Instant begin, std::optional<Instant> end) { return end ? FormatDuration(*end - begin) : ""; }

}  // namespace

Result<std::vector<Setting>> SettingsOfJobFile(std::string_view text, Secrets secrets) {
  constexpr int kMostNesting = 100;  // a valid job file is nested less than 10 deep
  if (NestsDeeper(text, kMostNesting)) {
    return Failed("the stored job file is nested more than " + std::to_string(kMostNesting) + " deep");
  }
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Failed("the stored job file is not a JSON object");
  std::vector<Setting> settings;
  Flatten(json, "", settings);
  for (Setting& setting : settings) {
    if (secrets == Secrets::kHide && IsSecret(setting.name)) setting.value = kHidden;
  }
  return settings;
}

std::vector<Setting> JobOutcomeOf(const journal::JobView& view) {
  std::vector<Setting> outcome;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) outcome.push_back({name, value, "", false});
  };
  add("name", view.name);
  add("user", view.user);
  add("framework", view.framework);
  add("state", std::string(core::ToText(view.state)));
  if (view.exit_code) add("exit_code", std::to_string(*view.exit_code));
  add("reason", view.reason);
  if (view.started) add("duration", TextOf(*view.started, view.finished));
  add("tasks", std::to_string(view.tasks.size()));
  return outcome;
}

std::vector<Setting> OutcomeOf(const journal::JobView& view) {
  std::vector<Setting> outcome = JobOutcomeOf(view);
  const auto add = [&](const std::string& name, const std::string& value) {
    outcome.push_back({name, value, "", false});
  };
  for (const journal::TaskView& task : view.tasks) {
    const std::string name = TaskText(task.role, task.index);
    add(name + " state", std::string(core::ToText(task.state)));
    if (task.exit) add(name + " ended with", howdah::ToText(*task.exit));
    if (task.attempt > 0) add(name + " attempts", std::to_string(task.attempt + 1));
    if (task.usage.memory_peak_bytes > 0) add(name + " peak memory", std::to_string(task.usage.memory_peak_bytes));
  }
  return outcome;
}

SettingKind KindOf(std::string_view name) {
  const std::string_view key = WithinRole(name);
  if (IsVariable(name) || IsOneOf(key, {"env", "env_from"})) return SettingKind::kEnvironment;
  if (IsOneOf(key, {"files", "source", "outputs"})) return SettingKind::kFiles;
  if (IsOneOf(key, {"framework", "docker.image", "image", "python"})) return SettingKind::kVersions;
  if (IsOneOf(key, {"on", "host", "queue", "priority", "node_label", "am", "docker", "resources", "locality"}))
    return SettingKind::kBackend;
  return SettingKind::kJobFile;
}

std::string_view ToText(SettingKind kind) {
  constexpr std::string_view kTexts[] = {"job file", "environment", "files", "backend", "versions"};
  return kTexts[static_cast<size_t>(kind)];
}

std::vector<Compared> Compare(const std::vector<std::vector<Setting>>& runs) {
  std::map<std::string, Compared> all;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const Setting& setting : runs[run]) {
      Compared& compared = all[setting.name];
      compared.values.resize(runs.size());
      compared.values[run] = setting.value;
    }
  }
  std::vector<Compared> list;
  for (auto& [name, compared] : all) {
    compared.name = name;
    compared.same = std::all_of(compared.values.begin(), compared.values.end(),
                                [&](const auto& value) { return value == compared.values.front(); });
    for (std::optional<std::string>& value : compared.values) {
      if (value && IsSecret(name)) value = kHidden;
    }
    list.push_back(std::move(compared));
  }
  return list;
}

std::vector<Difference> Differences(const std::vector<Setting>& before, const std::vector<Setting>& after) {
  std::vector<Difference> differences;
  for (Compared& compared : Compare({before, after})) {
    if (!compared.same) differences.push_back({compared.name, compared.values[0], compared.values[1]});
  }
  return differences;
}

}  // namespace howdah::client
