#include "tony_notebook.h"

#include <cstdlib>

#include "task_script.h"
#include "connection.h"

namespace howdah::cli {

std::string TonyNotebook::OnStatus(backend::Cluster& place, const JobId& id, const journal::JobView& view) {
  if (forward_) forward_->OnStatus(view);
  if (view.tasks.empty()) return "";
  const journal::TaskView& task = view.tasks.front();
  if (task.state != core::TaskState::kRunning || task.attempt == attempt_) return "";
  attempt_ = task.attempt;
  const auto failed = [&](const Error& error) { return "howdah: no way to the notebook: " + error.message; };
  const auto am = place.Contact(id);
  if (!am.ok()) return failed(am.error());
  const auto answer = AskTask(*am, task.role, task.index, "echo $TB_PORT", Signals::kAreOurs);
  if (!answer.ok()) return failed(answer.error());
  const auto port = static_cast<uint16_t>(std::atoi(answer->c_str()));
  if (port == 0) return failed(Failed("the task has no TB_PORT"));
  forward_.reset();
  auto forward = JobForward::Start(place, id, {task.role, task.index, port}, 0,
                                   [](const std::string& line) { Say("howdah: " + line); });
  if (!forward.ok()) return failed(forward.error());
  forward_.emplace(std::move(*forward));
  return "the notebook is at " + forward_->address() + " while this runs; Ctrl-C ends it";
}

}  // namespace howdah::cli
