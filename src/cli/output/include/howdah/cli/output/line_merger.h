// Merges the output of many tasks: whole lines, each prefixed with its task's name. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/base/time.h"

namespace howdah::cli::output {

// Whether the task of the source has several processes. The journal lists the processes once they have started.
bool HasSeveralProcesses(const journal::JobView& view, const backend::LogSource& source);

// Lines of different sources are never mixed. A line is written once it is complete or has reached 64 KiB. Finish adds
// a newline to incomplete lines. The memory is limited to two lines per source.
//
// A progress bar overwrites its line by means of carriage returns. Each state of the bar becomes a line, but at most
// one per second and source. The last state is always written.
class LineMerger {
 public:
  // kJson: one JSON object per line: {"task": "worker:0", "rank": 0, "attempt": 0, "stream": "stdout", "text": "hi"}.
  enum class Prefix { kNone, kTask, kJson };
  struct Options {
    Prefix prefix = Prefix::kTask;
    bool colour = false;      // whether to colour the prefixes, with one colour per task
    bool timestamps = false;  // whether to begin each line with the time at which its end arrived
    // Whether the source's task has several processes, so that its prefix needs the local rank: "worker:0/1". If this
    // function is empty, only sources with a local rank above 0 have the local rank in their prefix.
    std::function<bool(const backend::LogSource&)> has_several_processes;
  };
  explicit LineMerger(Options options) : options_(std::move(options)) {}

  // Appends every line that is now complete to `out`. now: the time at which the bytes arrived.
  void Add(const backend::LogSource& source, std::string_view bytes, Instant now, std::string& out);
  // Appends the incomplete last lines of all sources.
  void Finish(Instant now, std::string& out);

 private:
  struct Source {
    std::string prefix;
    std::string line;  // the incomplete last line
    // The text before a carriage return. It has not been written yet, and may still be overwritten.
    std::optional<std::string> overwrite;
    std::optional<Instant> next_overwrite;  // when the next state of a progress bar may be written
  };
  Source& Of(const backend::LogSource& source);
  void Write(const Source& source, std::string_view line, Instant now, std::string& out) const;
  void OnNewline(Source& source, Instant now, std::string& out) const;
  void OnCarriageReturn(Source& source, Instant now, std::string& out) const;

  Options options_;
  std::map<backend::LogSource, Source> sources_;
};

}  // namespace howdah::cli::output
