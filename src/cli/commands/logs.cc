#include <unistd.h>

#include <algorithm>
#include <map>

#include "commands.h"
#include "howdah/os/files/last_lines.h"
#include "log_request.h"
#include "line_merger.h"
#include "terminal.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

using backend::LogSelection;
using backend::LogSource;
using backend::LogStream;

// One task is shown as it wrote, several behind their names.
bool IsOneTask(const LogSelection& selection) { return selection.role && selection.index; }

LineMerger MergerFor(const LogSelection& selection) {
  return LineMerger(IsOneTask(selection) ? LineMerger::Prefix::kNone : LineMerger::Prefix::kTask,
                    WantsColour(STDOUT_FILENO));
}

// Prints one source from its beginning, or its last lines; through the merger, or as it is without one.
Status PrintSource(backend::Cluster& place, const JobId& id, const LogSource& source, std::optional<int64_t> tail,
                   LineMerger* merger) {
  std::string lines;
  const Status read = place.ReadLog(id, source, tail, [&](std::string_view bytes) {
    if (merger == nullptr) return Print(bytes);
    lines.clear();
    merger->Add(source, bytes, lines);
    Print(lines);
  });
  if (!read.ok() || merger == nullptr) return read;
  lines.clear();
  merger->Finish(lines);
  Print(lines);
  return {};
}

int PrintNow(backend::Cluster& place, const JobId& id, const LogSelection& selection, std::optional<int64_t> tail) {
  const auto all = place.LogSources(id);
  if (!all.ok()) return Report(all.error());
  auto sources = ChooseSources(*all, selection);
  if (!sources.ok()) return Report(sources.error().While("logs of " + id.text));
  if (IsOneTask(selection)) {  // the stdout of every rank, then the stderr
    std::stable_sort(sources->begin(), sources->end(),
                     [](const LogSource& a, const LogSource& b) { return a.stream < b.stream; });
  }
  const bool one_process =
      std::all_of(sources->begin(), sources->end(), [](const LogSource& s) { return s.local_rank == 0; });
  LineMerger merger = MergerFor(selection);
  for (const LogSource& source : *sources) {
    const Status printed =
        PrintSource(place, id, source, tail, IsOneTask(selection) && one_process ? nullptr : &merger);
    if (!printed.ok()) return Report(printed.error());
  }
  if (sources->empty()) Say("no output yet");
  return kExitOk;
}

// Prints output as it comes. What was there before the first look is held back when only its last lines are wanted.
class Printer final : public backend::FollowSink {
 public:
  Printer(const LogSelection& selection, std::optional<int64_t> tail)
      : tail_(tail), raw_(IsOneTask(selection)), merger_(MergerFor(selection)) {}

  void OnEntry(const core::JournalEntry& entry) override { view.Apply(entry); }
  void OnLog(const LogSource& source, std::string_view bytes) override {
    if (!tail_) return Out(source, bytes);
    std::string& kept = kept_[source];
    kept += bytes;
    kept = std::string(os::files::LastLines(kept, *tail_));
  }
  void OnNote(const std::string& line) override { Say("howdah: " + line); }
  void CaughtUp() {
    if (!tail_) return;
    tail_.reset();
    for (const auto& [source, kept] : kept_) Out(source, kept);
    kept_.clear();
  }
  void Flush() {
    Print(out_);
    out_.clear();
  }
  void Finish() {
    merger_.Finish(out_);
    Flush();
  }
  journal::JobView view;

 private:
  void Out(const LogSource& source, std::string_view bytes) {
    if (source.local_rank > 0) raw_ = false;  // several processes: whole lines
    if (raw_) {
      out_ += bytes;
    } else {
      merger_.Add(source, bytes, out_);
    }
  }

  std::optional<int64_t> tail_;
  bool raw_;
  LineMerger merger_;
  std::map<LogSource, std::string> kept_;
  std::string out_;
};

int FollowLogs(backend::Cluster& place, const JobId& id, const LogSelection& selection, std::optional<int64_t> tail) {
  auto follow = place.FollowJob(id, selection);
  if (!follow.ok()) return Report(follow.error());
  Printer printer(selection, tail);
  while (!(*follow)->ended()) {
    while ((*follow)->Read(printer)) printer.Flush();
    printer.CaughtUp();
    printer.Flush();
    if ((*follow)->ended() || HaveEnded(printer.view, selection)) break;
    WaitFor(**follow, -1, std::nullopt);
  }
  printer.Finish();
  return kExitOk;
}

}  // namespace

int LogsCommand(Shell& shell, const Arguments& arguments) {
  const auto made = shell.Place();
  if (!made.ok()) return Report(made.error());
  backend::Cluster& place = **made;
  const auto id = place.Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto view = place.Status(*id);
  if (!view.ok()) return Report(view.error());
  const auto selection = SelectLogs(arguments, *view);
  if (!selection.ok()) return Report(selection.error());
  return arguments.follow ? FollowLogs(place, *id, *selection, arguments.tail)
                          : PrintNow(place, *id, *selection, arguments.tail);
}

}  // namespace howdah::cli
