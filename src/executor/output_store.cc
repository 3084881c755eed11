#include "output_store.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/os/files/outputs.h"
#include "log.h"

namespace howdah::executor {

OutputStore::~OutputStore() {
  if (thread_.joinable()) thread_.join();
}

bool OutputStore::Begin(const TaskPlan& plan, std::function<void()> done) {
  if (!plan.options.store_outputs || std::exchange(begun_, true)) return false;
  const OutputRules rules = jobspec::OutputsOf(plan.spec, plan.role());
  if (!rules.keeps_files()) return false;
  thread_ = std::thread([this, &plan, rules, done = std::move(done)] {
    const std::string& directory = plan.options.work_dir;
    const auto files = os::files::FindOutputs(directory, rules, os::files::FilledAt(directory));
    Status stored = files.ok() ? Status() : Status(files.error());
    if (files.ok() && !files->empty()) {
      stored = plan.options.store_outputs(plan.options.role + "-" + std::to_string(plan.options.index), *files);
    }
    boost::asio::post(loop_, [this, stored, done] {
      thread_.join();
      if (!stored.ok()) Log("the outputs of the task could not be stored: " + stored.error().message);
      done();
    });
  });
  return true;
}

}  // namespace howdah::executor
