#include "left_files.h"

#include "howdah/core/change.h"
#include "howdah/os/files/outputs.h"

namespace howdah::executor {

static_assert(os::files::kMostLeftNames == core::LeftFiles::kMostNames &&
              os::files::kLongestLeftName == core::LeftFiles::kLongestName);

std::optional<wire::LeftFiles> FindLeftFiles(const TaskPlan& plan) {
  if (plan.options.keeps_work_dir) return std::nullopt;
  const auto filled = os::files::FilledAt(plan.options.work_dir);
  if (!filled) return std::nullopt;
  const os::files::LeftFiles found =
      os::files::FindLeftFiles(plan.options.work_dir, *filled, jobspec::OutputsOf(plan.spec, plan.role()));
  if (found.count == 0) return std::nullopt;
  wire::LeftFiles left;
  left.set_count(found.count);
  left.set_bytes(found.bytes);
  for (const std::string& name : found.names) left.add_names(name);
  return left;
}

}  // namespace howdah::executor
