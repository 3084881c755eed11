#include "tony_notebook.h"

#include <cstdlib>

#include "howdah/cli/output/terminal.h"
#include "howdah/client/task_script.h"

namespace howdah::cli::commands {
namespace {

Result<client::JobForward> ForwardToNotebook(backend::Cluster& cluster, const JobId& id,
                                             const journal::TaskView& task) {
  HOWDAH_TRY(const rpc::AmContact am, cluster.Contact(id));
  HOWDAH_TRY(const std::string line,
             client::RunScript(am, {task.role, task.index}, "echo $TB_PORT", client::Signals::kToCaller));
  const auto port = static_cast<uint16_t>(std::atoi(line.c_str()));
  if (port == 0) return Failed("the task has no TB_PORT");
  return client::JobForward::Start(cluster, id, {task.role, task.index, port}, 0, output::PrintNote);
}

}  // namespace

std::string TonyNotebook::OnStatus(backend::Cluster& cluster, const JobId& id, const journal::JobView& view) {
  if (forward_) forward_->OnStatus(view);
  if (view.tasks.empty()) return "";
  const journal::TaskView& task = view.tasks.front();
  if (task.state != core::TaskState::kRunning || task.attempt == attempt_) return "";
  attempt_ = task.attempt;
  forward_.reset();
  auto forward = ForwardToNotebook(cluster, id, task);
  if (!forward.ok()) return "howdah: connecting to the notebook: " + forward.error().message;
  forward_.emplace(std::move(*forward));
  return "the notebook is at " + forward_->address() + " while this command runs; Ctrl-C ends the job";
}

}  // namespace howdah::cli::commands
