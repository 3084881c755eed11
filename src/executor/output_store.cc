#include "output_store.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/os/files/outputs.h"
#include "log.h"

namespace howdah::executor {
namespace {

Status StoreOutputs(const TaskOptions& options, const OutputRules& rules) {
  const std::string& directory = options.work_dir;
  HOWDAH_TRY(const auto files, os::files::FindOutputs(directory, rules, os::files::FilledAt(directory)));
  if (files.empty()) return {};
  return options.store_outputs(options.role + "-" + std::to_string(options.index), files);
}

}  // namespace

OutputStore::~OutputStore() {
  if (thread_.joinable()) thread_.join();
}

bool OutputStore::Begin(const TaskPlan& plan, std::function<void()> done) {
  if (std::exchange(begun_, true)) return false;
  const OutputRules rules = jobspec::OutputsOf(plan.spec, plan.role());
  const bool has_outputs = !drops_outputs_ && plan.options.store_outputs && rules.keeps_files();
  if (!has_outputs && !plan.options.store_logs) return false;
  thread_ = std::thread([this, &plan, rules, has_outputs, keeps_logs = keeps_logs_, done = std::move(done)] {
    const Status outputs = has_outputs ? StoreOutputs(plan.options, rules) : Status();
    const Status logs = plan.options.store_logs ? plan.options.store_logs(keeps_logs) : Status();
    boost::asio::post(loop_, [this, outputs, logs, done] {
      thread_.join();
      if (!outputs.ok()) Log("storing the outputs of the task: " + outputs.error().message);
      if (!logs.ok()) Log("storing the logs of the task: " + logs.error().message);
      done();
    });
  });
  return true;
}

}  // namespace howdah::executor
