#include <poll.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "howdah/autoscale/publication.h"
#include "howdah/backend/job_queue.h"
#include "howdah/base/number.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/cli/output/text_table.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/submitter.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

using backend::QueuedJob;
using Json = nlohmann::ordered_json;

constexpr int kWatchPauseMillis = 2000;  // backends do not announce changes of their queues

struct QueueArguments {
  std::string queue, id, priority;
  bool json = false, watch = false;
};

Json ToJson(const QueuedJob::Needs& needs) {
  Json json = {
      {"count", needs.count}, {"memory_bytes", needs.memory_bytes}, {"vcores", needs.vcores}, {"gpus", needs.gpus}};
  for (const auto& [type, amount] : needs.others) json["others"][type] = amount;
  return json;
}

Json ToJson(const QueuedJob& job) {
  Json needs = Json::array();
  for (const QueuedJob::Needs& some : job.needs) needs.push_back(ToJson(some));
  return {{"position", job.position ? Json(*job.position) : Json(nullptr)},
          {"id", job.id.text},
          {"name", job.name},
          {"user", job.user},
          {"queue", job.queue},
          {"priority", job.priority},
          {"state", ToText(job.state)},
          {"submitted", FormatInstant(job.submitted)},
          {"needs", std::move(needs)},
          {"held", ToJson(job.held)},
          {"reason", job.reason}};
}

std::string JsonText(const std::vector<QueuedJob>& jobs) {
  Json list = Json::array();
  for (const QueuedJob& job : jobs) list.push_back(ToJson(job));
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// autoscaler: what it has published, or nullptr.
std::string Table(const std::vector<QueuedJob>& jobs, const autoscale::Publication* autoscaler, Instant now) {
  const std::string coming = autoscaler == nullptr ? "" : ComingText(*autoscaler, now);
  std::vector<output::Row> rows = {
      {"POS", "ID", "NAME", "USER", "QUEUE", "PRIORITY", "STATE", "NEEDS", "HOLDS", "SUBMITTED", "REASON"}};
  for (const QueuedJob& job : jobs) {
    rows.push_back(
        {job.position ? std::to_string(*job.position) : "–", job.id.text, job.name, job.user, job.queue,
         std::to_string(job.priority), ToText(job.state), job.needs_text, job.held_text,
         FormatDuration(now - job.submitted) + " ago",
         job.position && !coming.empty() ? job.reason + (job.reason.empty() ? "" : "; ") + coming : job.reason});
  }
  return output::FormatTable(rows);
}

// Returns nullptr if no autoscaler has published lately.
const autoscale::Publication* CurrentOf(const Result<std::unique_ptr<autoscale::Publication>>& published, Instant now) {
  if (!published.ok() || *published == nullptr) return nullptr;
  return (*published)->IsOld(now) ? nullptr : published->get();
}

std::string AutoscalerText(const Result<std::unique_ptr<autoscale::Publication>>& published, Instant now) {
  if (!published.ok()) return "autoscaler: not known: " + published.error().message + "\n";
  if (*published == nullptr) return "";
  const autoscale::Publication& some = **published;
  std::string text = "autoscaler, " + FormatDuration(now - some.decided) + " ago: " + some.verdict + ": " + some.reason;
  if (some.IsOld(now)) text += "; it has published nothing for " + FormatDuration(now - some.published);
  return text + "\n";
}

Result<std::vector<QueuedJob>> Read(backend::Cluster& cluster, const QueueArguments& arguments) {
  HOWDAH_TRY(auto jobs, cluster.site().Jobs());
  for (QueuedJob& job : jobs) {
    if (job.user.empty()) job.user = client::UserName();  // this machine has only the jobs of this user
  }
  if (!arguments.queue.empty()) {
    std::erase_if(jobs, [&](const QueuedJob& job) {
      return job.queue != arguments.queue && !job.queue.ends_with("." + arguments.queue) &&
             !arguments.queue.ends_with("." + job.queue);
    });
  }
  return jobs;
}

Result<int> Show(client::Connection& connection, const QueueArguments& arguments) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  const bool in_place = output::IsTerminal(STDOUT_FILENO) && !arguments.json;
  std::string printed;
  do {
    HOWDAH_TRY(const auto jobs, Read(*cluster, arguments));
    const std::string json = JsonText(jobs);  // has no ages, which change all the time
    if (in_place || json != printed || !arguments.watch) {
      if (arguments.json) {
        output::Print(json);
      } else if (jobs.empty()) {
        output::PrintMessage("no running or waiting jobs");
      } else {
        const auto published = cluster->site().Autoscaler();
        const Instant now = os::process::Clock().Now();
        output::Print((in_place && arguments.watch ? "\x1b[H\x1b[J" : "") +
                      Table(jobs, CurrentOf(published, now), now) + AutoscalerText(published, now));
      }
      printed = json;
    }
  } while (arguments.watch && poll(nullptr, 0, kWatchPauseMillis) == 0);
  return client::kExitOk;
}

Result<int> SetPriority(client::Connection& connection, const QueueArguments& arguments) {
  constexpr int64_t kMost = 1'000'000;  // as in a job file
  const auto priority = ParseNumber<int64_t>(arguments.priority);
  if (!priority || *priority < 0 || *priority > kMost) {
    return Error{ErrorCode::kUsage, "queue priority: '" + arguments.priority +
                                        "' is not a priority; write a whole number from 0 to " + std::to_string(kMost)};
  }
  HOWDAH_TRY(const client::Job job, client::FindJobToChange(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY_STATUS(job.cluster->site().SetPriority(job.id, static_cast<int>(*priority)));
  output::PrintMessage(job.id.text + ": the priority is " + std::to_string(*priority));
  return client::kExitOk;
}

Result<int> Move(client::Connection& connection, const QueueArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJobToChange(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY_STATUS(job.cluster->site().MoveToQueue(job.id, arguments.queue));
  output::PrintMessage(job.id.text + ": moved to the queue " + arguments.queue);
  return client::kExitOk;
}

}  // namespace

args::Command QueueCommand(client::Connection& connection) {
  return {"queue", "Show the running and waiting jobs of all users, in the order in which they start",
          "  howdah queue --queue ml\n  howdah queue priority last 10\n  howdah queue move last ml",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<QueueArguments>();
            syntax.Text("--queue", "QUEUE", arguments->queue, "Only jobs of this queue");
            syntax.Json(arguments->json, "Print one JSON array");
            syntax.Flag("--watch", arguments->watch, "Show every change");
            syntax.Action("priority", "Change the priority of a job", "  howdah queue priority last 10",
                          [&connection](args::Syntax& action) -> args::Runner {
                            const auto wanted = std::make_shared<QueueArguments>();
                            action.Id(wanted->id);
                            action.Positional("priority", "N", wanted->priority, args::Presence::kRequired,
                                              "The new priority; jobs with a higher one start first");
                            return [&connection, wanted] { return SetPriority(connection, *wanted); };
                          });
            syntax.Action("move", "Move a job to another queue", "  howdah queue move last ml",
                          [&connection](args::Syntax& action) -> args::Runner {
                            const auto wanted = std::make_shared<QueueArguments>();
                            action.Id(wanted->id);
                            action.Positional("queue", "QUEUE", wanted->queue, args::Presence::kRequired,
                                              "The queue of the cluster");
                            return [&connection, wanted] { return Move(connection, *wanted); };
                          });
            return [&connection, arguments] { return Show(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
