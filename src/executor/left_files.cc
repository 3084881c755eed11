#include "left_files.h"

#include <algorithm>

#include "howdah/core/change.h"
#include "howdah/os/files/outputs.h"

namespace howdah::executor {

static_assert(os::files::kMostLeftNames == core::LeftFiles::kMostNames &&
              os::files::kLongestLeftName == core::LeftFiles::kLongestName);

namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Whether the name is that of a task's working directory, "worker-0", or of a file that belongs to one.
bool IsOfTask(const jobspec::JobSpec& spec, const std::string& name) {
  return std::any_of(spec.roles.begin(), spec.roles.end(), [&](const jobspec::RoleSpec& role) {
    if (!name.starts_with(role.name + "-")) return false;
    const std::string index = name.substr(role.name.size() + 1, name.find('.') - role.name.size() - 1);
    return !index.empty() && index.find_first_not_of("0123456789") == std::string::npos;
  });
}

}  // namespace

std::optional<wire::LeftFiles> FindLeftFiles(const TaskPlan& plan) {
  if (plan.options.keeps_work_dir) return std::nullopt;
  const auto filled = os::files::FilledAt(plan.options.work_dir);
  if (!filled) return std::nullopt;
  const TaskOptions& options = plan.options;
  const auto is_known_beside = [&](const std::string& name) {
    const std::vector<std::string> own = {options.work_dir, os::files::ProgressDirectory(options.work_dir),
                                          options.python_dir, options.logs_dir};
    return IsOfTask(plan.spec, name) ||
           std::any_of(own.begin(), own.end(), [&](const std::string& path) { return name == BaseName(path); });
  };
  const os::files::LeftFiles found =
      os::files::FindLeftFiles(options.work_dir, *filled, jobspec::OutputsOf(plan.spec, plan.role()), is_known_beside);
  if (found.count == 0) return std::nullopt;
  wire::LeftFiles left;
  left.set_count(found.count);
  left.set_bytes(found.bytes);
  for (const std::string& name : found.names) left.add_names(name);
  return left;
}

}  // namespace howdah::executor
