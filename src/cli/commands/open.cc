#include "commands.h"
#include "job_forward.h"
#include "find_task.h"

namespace howdah::cli {

int OpenCommand(Shell& shell, const Arguments& arguments) {
  const auto made = shell.Place();
  if (!made.ok()) return Report(made.error());
  backend::Cluster& place = **made;
  const auto id = place.Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto view = place.Status(*id);
  if (!view.ok()) return Report(view.error());
  const auto task = FindTask(arguments.task, *view);
  if (!task.ok()) return Report(task.error());
  return ServeForward(place, *id, {task->role, task->index, static_cast<uint16_t>(arguments.port)}, arguments.listen,
                      nullptr);
}

}  // namespace howdah::cli
