#include <algorithm>
#include <memory>

#include "howdah/base/text.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/task_stacks.h"

namespace howdah::cli::commands {
namespace {

struct StacksArguments {
  std::string id, task, signal;
  bool native = false, json = false;
};

Result<int> Stacks(client::Connection& connection, const StacksArguments& arguments) {
  HOWDAH_TRY(const int signal, client::ParseSignal(arguments.signal));
  const auto find = signal == 0 ? client::FindJob : client::FindJobToChange;
  HOWDAH_TRY(const client::Job job, find(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  const auto am = job.cluster->Contact(job.id);
  if (!am.ok() && view.tasks.empty()) return am.error();  // the AM is missing, or the job belongs to another user
  HOWDAH_TRY(const auto tasks, client::TasksToSample(arguments.task, view));
  if (!am.ok()) return am.error();
  const auto samples = client::SampleTasks(*am, tasks, {arguments.native, signal});
  const auto is_failure = [](const client::TaskSample& sample) { return !sample.stacks.ok(); };
  if (samples.size() == 1 && is_failure(samples.front())) return samples.front().stacks.error();
  std::string text;
  for (const client::TaskSample& sample : samples) {
    text += arguments.json ? (text.empty() ? "" : ",\n ") + client::StacksJson(sample) : client::StacksText(sample);
  }
  output::Print(arguments.json ? "{\"id\":\"" + job.id.text + "\",\"tasks\":[" + text + "]}\n" : text);
  return std::all_of(samples.begin(), samples.end(), is_failure) ? client::kExitFailed : client::kExitOk;
}

}  // namespace

args::Command StacksCommand(client::Connection& connection) {
  return {"stacks", "Show where the processes of running tasks are",
          "  howdah stacks last\n  howdah stacks last worker:3 --native",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<StacksArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("task", "ROLE[:INDEX]", arguments->task, args::Presence::kOptional,
                              "Only this task, or the tasks of this role; default: all running tasks");
            syntax.Flag("--native", arguments->native,
                        "Read native frames, too, with eu-stack or gdb; needs memory of the task's container");
            syntax.Text("--signal", "NAME", arguments->signal,
                        "Without py-spy: send this signal, for which the program has registered faulthandler");
            syntax.Json(arguments->json, "Print JSON");
            return [&connection, arguments] { return Stacks(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
