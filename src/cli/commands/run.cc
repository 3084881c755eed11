#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "admission.h"
#include "commands.h"
#include "howdah/os/process/clock.h"
#include "run_job.h"
#include "line_merger.h"
#include "terminal.h"
#include "screen.h"
#include "status_text.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

constexpr Duration kRedrawAfter = std::chrono::seconds(1);  // the times in the live table go on by themselves

// Shows a job while it runs: its output on stdout (on stderr if stdout is for the final JSON), states on stderr.
class Display final : public backend::FollowSink {
 public:
  explicit Display(bool logs_to_stderr)
      : logs_to_stderr_(logs_to_stderr),
        screen_(WantsColour(STDERR_FILENO)),
        merger_(LineMerger::Prefix::kTask, WantsColour(logs_to_stderr ? STDERR_FILENO : STDOUT_FILENO)) {}

  void OnEntry(const core::JournalEntry& entry) override {
    const core::JobState before = view_.state;
    view_.Apply(entry);
    if (const auto line = ProgressLine(entry, before, view_.state)) messages_ += *line + "\n";
  }

  void OnLog(const backend::LogSource& source, std::string_view bytes) override { merger_.Add(source, bytes, lines_); }

  void OnNote(const std::string& line) override { messages_ += "howdah: " + line + "\n"; }

  // Puts out what has come since the last time.
  void Show() {
    if (!lines_.empty() || !messages_.empty()) screen_.Clear();
    if (!messages_.empty()) Say(messages_.substr(0, messages_.size() - 1));
    messages_.clear();
    PutLines();
    Draw();
  }

  void Finish() {
    merger_.Finish(lines_);
    screen_.Clear();
    PutLines();
  }

  void Note(const std::string& line) {
    screen_.Clear();
    Say(line);
    Draw();
  }

  bool live() const { return screen_.live(); }
  const journal::JobView& view() const { return view_; }

 private:
  void PutLines() {
    if (lines_.empty()) return;
    if (logs_to_stderr_) {
      Say(lines_.substr(0, lines_.size() - 1));
    } else {
      Print(lines_);
    }
    lines_.clear();
  }
  void Draw() {
    if (!screen_.live()) return;
    const TerminalSize size = SizeOf(STDERR_FILENO);
    const auto rows = static_cast<size_t>(std::max(size.rows / 2, 2));
    screen_.Draw(LiveTable(view_, clock_.Now(), static_cast<size_t>(size.columns), rows, true));
  }

  bool logs_to_stderr_;
  os::process::Clock clock_;
  Screen screen_;
  LineMerger merger_;
  journal::JobView view_;
  std::string lines_, messages_;
};

// The first asks the job to stop as it is wont to, every further one at once.
class Stopper {
 public:
  Stopper(Shell& shell, backend::Cluster& place, const JobId& id) : shell_(shell), place_(place), id_(id) {}

  void OnSignal(int number, Display& display) {
    const bool first = count_++ == 0;
    display.Note(first ? "stopping " + id_.text + "; once more stops it without grace"
                       : "stopping " + id_.text + " at once");
    const std::string with = number == SIGINT ? "Ctrl-C in `howdah run`" : "SIGTERM to `howdah run`";
    const Status stopped = place_.Stop(id_, shell_.By(with), first ? std::nullopt : std::optional(Duration(0)));
    if (!stopped.ok()) display.Note("howdah: " + stopped.error().message);
  }

 private:
  Shell& shell_;
  backend::Cluster& place_;
  const JobId& id_;
  int count_ = 0;
};

// Kills a job that stays QUEUED for too long, once.
class QueueLimit {
 public:
  explicit QueueLimit(std::optional<Duration> limit) : limit_(limit), since_(clock_.Now()) {}

  // How long to wait at most before looking again; none: for ever.
  std::optional<Duration> Left(const journal::JobView& view) const {
    if (!limit_ || view.state != core::JobState::kQueued) return std::nullopt;
    return std::max(Duration::zero(), since_ + *limit_ - clock_.Now());
  }

  void Look(Shell& shell, backend::Cluster& place, const JobId& id, Display& display) {
    const auto left = Left(display.view());
    if (!left || *left > Duration::zero()) return;
    const std::string within = DurationToText(*std::exchange(limit_, std::nullopt));
    display.Note("howdah: " + id.text + " did not come out of the queue within " + within +
                 " (timeouts.queue) and is killed");
    const Status stopped =
        place.Stop(id, shell.By("`timeouts.queue` of " + within + " in `howdah run`"), Duration::zero());
    if (!stopped.ok()) display.Note("howdah: " + stopped.error().message);
  }

 private:
  os::process::Clock clock_;
  std::optional<Duration> limit_;
  Instant since_;
};

int FollowToTheEnd(Shell& shell, backend::Cluster& place, const JobId& id, Interrupts& interrupts,
                   const RunOptions& options, std::optional<Duration> queue_limit) {
  auto follow = place.FollowJob(id, backend::LogSelection());
  if (!follow.ok()) return Report(follow.error().While("the job goes on, but following " + id.text));
  Display display(options.json);
  Stopper stopper(shell, place, id);
  QueueLimit queue(queue_limit);
  while (!(*follow)->ended()) {
    auto limit = queue.Left(display.view());
    if (display.live()) limit = std::min(limit.value_or(kRedrawAfter), kRedrawAfter);
    const Woke woke = WaitFor(**follow, interrupts.fd(), limit);
    if (woke == Woke::kInterrupt) stopper.OnSignal(interrupts.Take(), display);
    if (woke == Woke::kFollow) (*follow)->Read(display);
    queue.Look(shell, place, id, display);
    display.Show();
    if (!options.on_status || core::IsFinal(display.view().state)) continue;
    if (const std::string lines = options.on_status(place, id, display.view()); !lines.empty()) display.Note(lines);
  }
  display.Finish();
  if (!core::IsFinal(display.view().state)) {
    return Report(Failed("following " + id.text + ": somebody has removed it from " + place.LogsPlace(id)));
  }
  const std::string farewell = Farewell(display.view(), place.LogsPlace(id));
  Say(farewell.substr(0, farewell.size() - 1));
  if (options.json) Print(journal::ToJson(display.view(), true) + "\n");
  return ExitCodeOf(display.view());
}

}  // namespace

int RunCommand(Shell& shell, const Arguments& arguments) {
  const auto job = AdmittedJob(shell, arguments.job);
  if (const int* code = std::get_if<int>(&job)) return *code;
  return RunJob(shell, std::get<jobspec::JobSpec>(job), {arguments.keep, arguments.json, nullptr});
}

int RunJob(Shell& shell, const jobspec::JobSpec& spec, const RunOptions& options) {
  backend::Cluster& place = **shell.Place();
  Interrupts interrupts;
  const auto id = SubmitShowing(place, spec, options.keep);
  if (!id.ok()) return Report(id.error());
  interrupts.Arm();
  Say(id->text + " submitted: " + spec.name + "; logs: " + place.LogsPlace(*id));
  return FollowToTheEnd(shell, place, *id, interrupts, options, spec.timeouts.queue);
}

}  // namespace howdah::cli
