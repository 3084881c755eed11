#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/line_merger.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/client/log_request.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

using backend::LogSelection;
using backend::LogSource;
using backend::LogStream;

// How lines are printed.
struct Form {
  bool timestamps = false, json = false;
};

// The output of one task is printed unchanged, except as JSON. The output of several tasks is printed with their names
// as prefixes.
bool IsOneTask(const LogSelection& selection) { return selection.role && selection.index; }

output::LineMerger MergerFor(const LogSelection& selection, const Form& form,
                             std::function<bool(const LogSource&)> has_several_processes) {
  using Prefix = output::LineMerger::Prefix;
  const Prefix prefix = IsOneTask(selection) ? Prefix::kNone : Prefix::kTask;
  return output::LineMerger({.prefix = form.json ? Prefix::kJson : prefix,
                             .colour = output::WantsColour(STDOUT_FILENO),
                             .timestamps = form.timestamps,
                             .has_several_processes = std::move(has_several_processes)});
}

// Prints a source or its last lines: through the merger, or unchanged if `merger` is null. newline: whether unchanged
// output gets a newline at the end if it has none.
Status PrintSource(backend::Cluster& cluster, const JobId& id, const LogSource& source, std::optional<int64_t> tail,
                   output::LineMerger* merger, bool newline) {
  const Instant now = os::process::Clock().Now();
  std::string lines;
  char last = '\n';
  const Status read = cluster.ReadLog(id, source, tail, [&](std::string_view bytes) {
    if (!bytes.empty()) last = bytes.back();
    if (merger == nullptr) return output::Print(bytes);
    lines.clear();
    merger->Add(source, bytes, now, lines);
    output::Print(lines);
  });
  if (merger == nullptr && newline && last != '\n') output::Print("\n");
  if (!read.ok() || merger == nullptr) return read;
  lines.clear();
  merger->Finish(now, lines);
  output::Print(lines);
  return {};
}

Result<int> PrintNow(const client::Job& job, const LogSelection& selection, std::optional<int64_t> tail,
                     const Form& form) {
  HOWDAH_TRY(const auto all, job.cluster->LogSources(job.id));
  auto chosen = client::ChooseSources(all, selection);
  if (!chosen.ok()) return chosen.error().While("logs of " + job.id.text);
  std::vector<LogSource>& sources = *chosen;
  if (IsOneTask(selection)) {  // prints the stdout of every rank, then the stderr
    std::stable_sort(sources.begin(), sources.end(),
                     [](const LogSource& a, const LogSource& b) { return a.stream < b.stream; });
  }
  const bool one_process =
      std::all_of(sources.begin(), sources.end(), [](const LogSource& s) { return s.local_rank == 0; });
  output::LineMerger merger = MergerFor(selection, form, [&](const LogSource& source) {
    return std::any_of(all.begin(), all.end(), [&](const LogSource& other) {
      return other.role == source.role && other.index == source.index && other.local_rank > 0;
    });
  });
  const bool unchanged = IsOneTask(selection) && !form.json;
  for (const LogSource& source : sources) {
    HOWDAH_TRY_STATUS(PrintSource(*job.cluster, job.id, source, tail, unchanged ? nullptr : &merger, !one_process));
  }
  if (sources.empty()) output::PrintMessage("no output yet");
  return client::kExitOk;
}

// Prints output as it arrives. With a tail, prints only the last lines of the output that existed at the start. These
// lines are printed by CaughtUp, which must be called once all of that output has arrived.
class Printer final : public backend::FollowSink {
 public:
  Printer(const LogSelection& selection, std::optional<int64_t> tail, const Form& form, bool one_process)
      : tail_(tail),
        raw_(IsOneTask(selection) && one_process && !form.timestamps && !form.json),
        merger_(MergerFor(selection, form,
                          [this](const LogSource& source) { return output::HasSeveralProcesses(view, source); })) {}

  void OnEntry(const core::JournalEntry& entry) override { view.Apply(entry); }
  void OnLog(const LogSource& source, std::string_view bytes) override {
    if (!tail_) return Out(source, bytes);
    kept_.try_emplace(source, *tail_).first->second.Add(bytes);
  }
  void OnNote(const std::string& line) override { output::PrintNote(line); }
  void CaughtUp() {
    if (!tail_) return;
    tail_.reset();
    for (const auto& [source, kept] : kept_) Out(source, kept.text());
    kept_.clear();
  }
  void Flush() {
    output::Print(out_);
    out_.clear();
  }
  void Finish() {
    merger_.Finish(clock_.Now(), out_);
    Flush();
  }
  journal::JobView view;

 private:
  void Out(const LogSource& source, std::string_view bytes) {
    if (raw_) {
      out_ += bytes;
    } else {
      merger_.Add(source, bytes, clock_.Now(), out_);
    }
  }

  os::process::Clock clock_;
  std::optional<int64_t> tail_;
  const bool raw_;
  output::LineMerger merger_;
  std::map<LogSource, os::files::LastLinesBuffer> kept_;
  std::string out_;
};

// Whether the tasks of the selected role have one process each.
bool HaveOneProcess(const client::Job& job, const LogSelection& selection) {
  const auto text = job.cluster->JobFile(job.id);
  const auto spec = text.ok() ? jobspec::ReadEffective(*text) : Result<jobspec::JobSpec>(text.error());
  if (!spec.ok()) return false;
  return std::none_of(spec->roles.begin(), spec->roles.end(),
                      [&](const jobspec::RoleSpec& role) { return role.name == selection.role && role.processes > 1; });
}

Result<int> FollowLogs(const client::Job& job, LogSelection selection, std::optional<int64_t> tail, const Form& form) {
  selection.tail_lines = tail;
  HOWDAH_TRY(const auto follow, job.cluster->FollowJob(job.id, selection));
  const bool one_process = IsOneTask(selection) && HaveOneProcess(job, selection);
  Printer printer(selection, follow->starts_at_tail() ? std::nullopt : tail, form, one_process);
  while (!follow->ended()) {
    while (follow->Read(printer)) printer.Flush();
    printer.CaughtUp();
    printer.Flush();
    if (follow->ended() || client::HaveEnded(printer.view, selection)) break;
    client::WaitFor(*follow, -1, std::nullopt);
  }
  printer.Finish();
  return client::kExitOk;
}

struct LogsArguments {
  std::string id, task;
  bool follow = false, only_stdout = false, only_stderr = false;
  Form form;
  std::optional<int64_t> attempt, tail;
};

Result<int> Logs(client::Connection& connection, const LogsArguments& arguments) {
  if (arguments.form.timestamps && arguments.form.json) {
    return Error{ErrorCode::kUsage, "logs: --timestamps and --json exclude each other; leave out one of them"};
  }
  if (arguments.form.timestamps && !arguments.follow) {
    return Error{ErrorCode::kUsage,
                 "logs: --timestamps needs -f: log files contain no times, only a follow shows when lines arrive"};
  }
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  client::LogRequest request{arguments.task, std::nullopt, arguments.only_stdout, arguments.only_stderr};
  if (arguments.attempt) request.attempt = static_cast<int>(*arguments.attempt);
  const auto sources = [&job] {
    const auto all = job.cluster->LogSources(job.id);
    return all.ok() ? *all : std::vector<LogSource>();
  };
  HOWDAH_TRY(const LogSelection selection, client::SelectLogs(request, view, sources));
  if (!arguments.follow) return PrintNow(job, selection, arguments.tail, arguments.form);
  return FollowLogs(job, selection, arguments.tail, arguments.form);
}

}  // namespace

args::Command LogsCommand(client::Connection& connection) {
  return {"logs", "Show the output of a job's tasks",
          "  howdah logs last\n  howdah logs last worker:1 --stderr --tail 20\n  howdah logs last worker -f",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<LogsArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("task", "ROLE[:INDEX]", arguments->task, args::Presence::kOptional,
                              "One role or one task; default: all tasks");
            syntax.Flag("-f,--follow", arguments->follow, "Continue with new output until the task or job has ended");
            syntax.Flag("--timestamps", arguments->form.timestamps,
                        "With -f: begin each line with the time of its arrival");
            syntax.Json(arguments->form.json, "Print one JSON object per line of output");
            syntax.Flag("--stdout", arguments->only_stdout, "Only stdout");
            syntax.Flag("--stderr", arguments->only_stderr, "Only stderr");
            syntax.Number("--attempt", arguments->attempt, 0, "This attempt of each task; default: the newest");
            syntax.Number("--tail", arguments->tail, 0, "Only the last N lines of each stream");
            return [&connection, arguments] { return Logs(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
