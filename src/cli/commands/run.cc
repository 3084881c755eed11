#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "admission.h"
#include "fetch_outputs.h"
#include "howdah/base/text.h"
#include "howdah/cli/args/job_flags.h"
#include "howdah/cli/output/advice_lines.h"
#include "howdah/cli/output/line_merger.h"
#include "howdah/cli/output/screen.h"
#include "howdah/cli/output/startup_lines.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/adviser.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/follow.h"
#include "howdah/client/submitter.h"
#include "howdah/os/process/clock.h"
#include "interrupts.h"
#include "run_job.h"

namespace howdah::cli::commands {
namespace {

constexpr Duration kRedrawAfter = std::chrono::seconds(1);  // the live table shows running times

// The resource usage of running tasks, for the live table. The journal contains it only for attempts that have ended.
class UsageSamples {
 public:
  // Asks for the usage if the last answer is older than kPause. An answer that takes longer than kSlow is the last one,
  // because output of the job is not shown meanwhile.
  void Refresh(backend::Cluster& cluster, const JobId& id) {
    constexpr Duration kPause = std::chrono::seconds(5), kSlow = std::chrono::seconds(1);
    const Instant now = clock_.Now();
    if (now < due_) return;
    const auto status = cluster.Status(id);
    const Instant answered = clock_.Now();
    due_ = answered - now > kSlow ? Instant::max() : answered + kPause;
    if (status.ok()) sampled_ = *status;
  }

  journal::JobView AddedTo(journal::JobView view) const {
    for (journal::TaskView& task : view.tasks) {
      const journal::TaskView* sample = sampled_.Find(task.role, task.index);
      if (sample != nullptr && task.state == core::TaskState::kRunning && sample->attempt == task.attempt)
        task.usage = sample->usage;
    }
    return view;
  }

 private:
  os::process::Clock clock_;
  Instant due_{};
  journal::JobView sampled_;
};

// Shows a running job. The job's output goes to stdout, or to stderr if stdout is reserved for the final JSON. State
// changes go to stderr.
class Display final : public backend::FollowSink {
 public:
  Display(const jobspec::JobSpec& spec, bool logs_to_stderr, bool timestamps)
      : logs_to_stderr_(logs_to_stderr),
        screen_(output::CanRedraw(STDERR_FILENO)),
        merger_({.prefix = output::LineMerger::Prefix::kTask,
                 .colour = output::WantsColour(logs_to_stderr ? STDERR_FILENO : STDOUT_FILENO),
                 .timestamps = timestamps,
                 .has_several_processes = [this](const auto& source) {
                   return output::HasSeveralProcesses(view(), source);
                 }}) {
    facts_.spec = spec;
  }

  void OnEntry(const core::JournalEntry& entry) override {
    const core::JobState before = view().state;
    client::TakeEntry(facts_, entry);
    if (const auto line = output::ProgressLine(entry, before, view().state)) messages_ += *line + "\n";
    if (const auto line = startup_.Take(entry, view())) messages_ += *line + "\n";
  }

  void OnLog(const backend::LogSource& source, std::string_view bytes) override {
    merger_.Add(source, bytes, clock_.Now(), lines_);
  }

  void OnNote(const std::string& line) override { messages_ += "howdah: " + line + "\n"; }

  // Handles interrupts also while the reader of the output does not read.
  void SetInterruption(output::Interruption interruption) { interruption_ = std::move(interruption); }

  // Writes everything received since the last call.
  void Show() {
    if (!lines_.empty() || !messages_.empty()) screen_.Clear();
    Write();
    Draw();
  }

  void Finish() {
    merger_.Finish(clock_.Now(), lines_);
    screen_.Clear();
    Write();
  }

  // On a terminal, shows the line at once. Otherwise the next Show writes it, because stderr may have a reader that
  // does not read, and an interrupt must still stop the job.
  void Note(const std::string& line) {
    if (!output::IsTerminal(STDERR_FILENO)) {
      messages_ += line + "\n";
      return;
    }
    screen_.Clear();
    output::PrintMessage(line);
    Draw();
  }

  void SampleUsage(backend::Cluster& cluster, const JobId& id) {
    if (screen_.live() && view().state == core::JobState::kRunning) usage_.Refresh(cluster, id);
  }

  bool live() const { return screen_.live(); }
  const journal::JobView& view() const { return facts_.job; }
  const advice::Facts& facts() const { return facts_; }

 private:
  // An interrupt may add messages meanwhile.
  void Write() {
    while (!messages_.empty() || !lines_.empty()) {
      output::PrintToStderr(std::exchange(messages_, ""), interruption_);
      const std::string lines = std::exchange(lines_, "");
      logs_to_stderr_ ? output::PrintToStderr(lines, interruption_) : output::Print(lines, interruption_);
    }
  }
  void Draw() {
    if (!screen_.live()) return;
    const output::TerminalSize size = output::SizeOf(STDERR_FILENO);
    const auto rows = static_cast<size_t>(std::max(size.rows / 2, 2));
    screen_.Draw(output::LiveTable(usage_.AddedTo(view()), clock_.Now(), static_cast<size_t>(size.columns), rows,
                                   output::WantsColour(STDERR_FILENO)));
  }

  bool logs_to_stderr_;
  os::process::Clock clock_;
  output::Screen screen_;
  output::LineMerger merger_;
  output::StartupLines startup_;
  UsageSamples usage_;
  advice::Facts facts_;  // the job and its status
  std::string lines_, messages_;
  output::Interruption interruption_;
};

void NoteStop(const Result<std::string>& stopped, Display& display) {
  const std::string& note = stopped.ok() ? *stopped : stopped.error().message;
  if (!note.empty()) display.Note("howdah: " + note);
}

// Stops the job. The first signal stops it with its grace period, every further signal without a grace period.
class Stopper {
 public:
  Stopper(backend::Cluster& cluster, const JobId& id) : cluster_(cluster), id_(id) {}

  void OnSignal(int number, Display& display) {
    const bool first = count_++ == 0, keyboard = number == SIGINT;
    const auto note = [&] {
      display.Note(first ? "stopping " + id_.text + "; press Ctrl-C again to skip the grace period"
                         : "stopping " + id_.text + " without grace period");
    };
    // SIGTERM must stop the job also if the terminal takes no output. Ctrl-C restarts the output of a terminal.
    if (keyboard) note();
    const std::string with = keyboard ? "Ctrl-C in `howdah run`" : "SIGTERM to `howdah run`";
    const auto stopped = cluster_.Stop(id_, client::Requester(with), first ? std::nullopt : std::optional(Duration(0)));
    if (!keyboard) note();
    NoteStop(stopped, display);
  }

 private:
  backend::Cluster& cluster_;
  const JobId& id_;
  int count_ = 0;
};

// Kills the job, once, if it stays QUEUED longer than timeouts.queue.
class QueueLimit {
 public:
  explicit QueueLimit(std::optional<Duration> limit) : limit_(limit), since_(clock_.Now()) {}

  // Returns the time until the limit, or nullopt if no limit applies.
  std::optional<Duration> Left(const journal::JobView& view) const {
    if (!limit_ || view.state != core::JobState::kQueued) return std::nullopt;
    return std::max(Duration::zero(), since_ + *limit_ - clock_.Now());
  }

  void Check(backend::Cluster& cluster, const JobId& id, Display& display) {
    const auto left = Left(display.view());
    if (!left || *left > Duration::zero()) return;
    const std::string within = DurationToText(*std::exchange(limit_, std::nullopt));
    const auto stopped =
        cluster.Stop(id, client::Requester("`timeouts.queue` of " + within + " in `howdah run`"), Duration::zero());
    display.Note("howdah: " + id.text + " was still queued after " + within + " (timeouts.queue); killing it");
    NoteStop(stopped, display);
  }

 private:
  os::process::Clock clock_;
  std::optional<Duration> limit_;
  Instant since_;
};

// Copies the outputs of an ended job to this machine. A failure of the copy does not change the exit code of the job.
void FetchResults(backend::Cluster& cluster, const jobspec::JobSpec& spec, const journal::JobView& job,
                  const std::string& directory) {
  const auto fetched = FetchOutputs(cluster, spec, job, directory);
  if (!fetched.ok()) output::PrintNote(fetched.error().message + "; `howdah outputs " + job.id + "` tries again");
}

Result<int> FollowToTheEnd(backend::Cluster& cluster, const JobId& id, Interrupts& interrupts,
                           const RunOptions& options, const jobspec::JobSpec& spec) {
  auto opened = cluster.FollowJob(id, backend::LogSelection());
  if (!opened.ok()) return opened.error().While("the job keeps running, but following " + id.text + " failed");
  backend::Follow& follow = **opened;
  Display display(spec, options.json, options.timestamps);
  Stopper stopper(cluster, id);
  const auto on_signal = [&] { stopper.OnSignal(interrupts.Take(), display); };
  display.SetInterruption({interrupts.fd(), on_signal});
  QueueLimit queue(spec.timeouts.queue);
  while (!follow.ended()) {
    auto limit = queue.Left(display.view());
    if (display.live()) limit = std::min(limit.value_or(kRedrawAfter), kRedrawAfter);
    const client::Woke woke = client::WaitFor(follow, interrupts.fd(), limit);
    if (woke == client::Woke::kInterrupt) on_signal();
    if (woke == client::Woke::kFollow) follow.Read(display);
    queue.Check(cluster, id, display);
    display.SampleUsage(cluster, id);
    display.Show();
    if (!options.on_status || core::IsFinal(display.view().state)) continue;
    if (const std::string lines = options.on_status(cluster, id, display.view()); !lines.empty()) {
      display.Note(lines);
      display.Show();
    }
  }
  display.Finish();
  if (!core::IsFinal(display.view().state)) {
    return client::FollowStopped(id);
  }
  output::PrintMessage(output::Summary(display.view(), cluster.LogsLocation(id)));
  client::Adviser adviser(cluster, nullptr);
  const auto findings = adviser.AdviseBriefly(display.facts(), os::process::Clock().Now());
  for (const std::string& line : output::AdviceLines(display.view(), findings)) output::PrintMessage("advice: " + line);
  FetchResults(cluster, spec, display.view(), options.outputs_directory);
  const std::string left = output::LeftFilesText(display.view());
  if (!left.empty()) output::PrintNote(left);
  if (options.json) output::Print(journal::ToJson(display.view(), true) + "\n");
  return client::ExitCodeOf(display.view());
}

struct RunArguments {
  client::JobRequest job;
  bool keep = false, json = false, timestamps = false;
};

// Returns the directory `outputs` beside the job file. Without a job file, it is in the current directory.
std::string OutputsDirectory(const std::string& job_file) {
  const size_t slash = job_file.rfind('/');
  return slash == std::string::npos ? "outputs" : job_file.substr(0, slash) + "/outputs";
}

Result<int> Run(client::Connection& connection, const RunArguments& arguments) {
  HOWDAH_TRY(const auto job, AdmittedJob(connection, arguments.job));
  if (const int* code = std::get_if<int>(&job)) return *code;
  return RunJob(connection, std::get<jobspec::JobSpec>(job),
                {.keep = arguments.keep,
                 .json = arguments.json,
                 .timestamps = arguments.timestamps,
                 .outputs_directory = OutputsDirectory(arguments.job.file),
                 .on_status = nullptr});
}

}  // namespace

args::Command RunCommand(client::Connection& connection) {
  return {
      "run", "Run a job: submit it, follow its state and logs, exit with the job's exit code",
      "  howdah run job.yaml --set roles.worker.instances=4 -- --epochs 3\n"
      "  howdah run --framework pytorch --workers 2 --memory 2GiB -- python train.py\n"
      "Exit code: 0 the job succeeded, 1 it failed, 4 it was killed, 2 wrong usage or job file, 3 the backend cannot "
      "run it.",
      [&connection](args::Syntax& syntax) -> args::Runner {
        const auto arguments = std::make_shared<RunArguments>();
        args::AddJobRequest(syntax, arguments->job);
        syntax.Flag("--keep", arguments->keep, "Keep the tasks' working directories after the job");
        syntax.Flag("--timestamps", arguments->timestamps, "Begin each line of output with the time of its arrival");
        syntax.Json(arguments->json, "Print the final status as JSON to stdout; logs go to stderr");
        return [&connection, arguments] { return Run(connection, *arguments); };
      }};
}

Result<int> RunJob(client::Connection& connection, const jobspec::JobSpec& spec, const RunOptions& options) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  Interrupts interrupts("howdah: stopping the job after its submission; press Ctrl-C again to cancel the submission\n");
  const auto before_start = [&interrupts] {
    interrupts.Arm();
    interrupts.SetNotice("howdah: stopping the job after its submission\n");
  };
  HOWDAH_TRY(const JobId id, Submit(*cluster, spec, options.keep, before_start));
  interrupts.SetNotice("");
  output::PrintMessage(id.text + " submitted: " + Shown(spec.name) + "; logs: " + cluster->LogsLocation(id));
  return FollowToTheEnd(*cluster, id, interrupts, options, spec);
}

}  // namespace howdah::cli::commands
