#include "outputs.h"

#include <algorithm>
#include <cstdio>

#include "howdah/backend/local/agent.h"
#include "howdah/core/results.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/files/outputs.h"
#include "log_tree.h"

namespace howdah::backend::local {
namespace {

// Returns the role of a directory ROLE-INDEX, or null if the name has another form or there is no such role.
const jobspec::RoleSpec* RoleOf(const jobspec::JobSpec& spec, const std::string& name) {
  const auto task = Descend(std::nullopt, name);  // working directories have the names of the directories in logs/
  if (!task) return nullptr;
  const auto found = std::find_if(spec.roles.begin(), spec.roles.end(),
                                  [&](const jobspec::RoleSpec& role) { return role.name == task->source.role; });
  return found == spec.roles.end() ? nullptr : &*found;
}

// Copies these files of a task to a directory below `directory`, and records them. task: ROLE-INDEX.
Status CopyFiles(const std::string& from, const std::vector<std::string>& paths, const std::string& directory,
                 const std::string& task, Cluster::FetchedOutputs& fetched) {
  const std::string to = directory + "/" + task;
  for (const std::string& path : paths) {
    const size_t slash = path.rfind('/');
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(slash == std::string::npos ? to : to + "/" + path.substr(0, slash)));
    HOWDAH_TRY_STATUS(os::files::CopyTree(from + "/" + path, to + "/" + path));
    ++fetched.files;
    fetched.paths.push_back(task + "/" + path);
    fetched.bytes += os::files::TreeSize(to + "/" + path).value_or(0);
  }
  fetched.tasks += paths.empty() ? 0 : 1;
  return {};
}

}  // namespace

Result<Cluster::FetchedOutputs> CopyOutputs(const JobFiles& files, const std::string& directory) {
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.spec()));
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(text));
  Cluster::FetchedOutputs fetched;
  const auto kept = os::files::ListDirectory(files.outputs());
  for (const std::string& name : kept.ok() ? *kept : std::vector<std::string>()) {
    HOWDAH_TRY(const auto all,
               os::files::FindOutputs(files.outputs() + "/" + name, {.patterns = {"**"}}, std::nullopt));
    HOWDAH_TRY_STATUS(CopyFiles(files.outputs() + "/" + name, all, directory, name, fetched));
  }
  const auto running = os::files::ListDirectory(files.work());
  for (const std::string& name : running.ok() ? *running : std::vector<std::string>()) {
    const jobspec::RoleSpec* role = RoleOf(spec, name);
    if (role == nullptr) continue;
    const std::string work = files.work() + "/" + name;
    const auto found = os::files::FindOutputs(work, jobspec::OutputsOf(spec, *role), os::files::FilledAt(work));
    if (!found.ok()) continue;  // the job has just ended
    HOWDAH_TRY_STATUS(CopyFiles(work, *found, directory, name, fetched));
  }
  return fetched;
}

Status KeepOutputs(const JobFiles& files) {
  const auto names = os::files::ListDirectory(files.work());
  if (!names.ok()) return {};  // no task had a working directory, or an earlier call has moved the outputs
  const auto text = os::files::ReadFile(files.spec());
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(*text));
  for (const std::string& name : *names) {
    const jobspec::RoleSpec* role = RoleOf(spec, name);
    if (role == nullptr) continue;  // not a working directory, but for example ROLE-INDEX.progress
    const std::string work = files.work() + "/" + name;
    const OutputRules rules = jobspec::OutputsOf(spec, *role);
    if (!rules.keeps_files()) continue;
    HOWDAH_TRY(const auto found, os::files::FindOutputs(work, rules, os::files::FilledAt(work)));
    if (found.empty()) continue;
    HOWDAH_TRY_STATUS(os::files::MoveOutputs(work, found, files.outputs() + "/" + name));
  }
  return {};
}

Status StoreResult(const std::string& job_file, const std::string& name, const std::string& file) {
  const JobFiles files(job_file.substr(0, job_file.rfind('/')));
  const std::string to = files.results() + "/" + name;
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(to.substr(0, to.rfind('/')), 0700));
  if (::rename(file.c_str(), to.c_str()) != 0) return os::files::SystemError("moving " + file + " to " + to);
  return {};
}

Result<std::string> ReadResult(const JobFiles& files, const std::string& name) {
  return os::files::ReadRegular(files.results() + "/" + name, static_cast<size_t>(core::kResultLimit));
}

}  // namespace howdah::backend::local
