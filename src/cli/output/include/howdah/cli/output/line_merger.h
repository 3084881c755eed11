// Merges the output of many tasks: whole lines, each prefixed with its task's name. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"

namespace howdah::cli::output {

// Lines of different sources are never mixed. A line is written once it is complete or has 64 KiB. Finish adds a
// newline to incomplete lines. Memory is at most one line per source.
class LineMerger {
 public:
  enum class Prefix { kNone, kTask };
  // `colour`: whether to colour the prefixes, with one colour per task.
  LineMerger(Prefix prefix, bool colour) : prefix_(prefix), colour_(colour) {}

  // Appends every line that is now complete to `out`.
  void Add(const backend::LogSource& source, std::string_view bytes, std::string& out);
  // Appends the incomplete last lines of all sources.
  void Finish(std::string& out);

 private:
  struct Source {
    std::string prefix;
    std::string line;  // the incomplete last line
  };
  Source& Of(const backend::LogSource& source);

  Prefix prefix_;
  bool colour_;
  std::map<backend::LogSource, Source> sources_;
};

}  // namespace howdah::cli::output
