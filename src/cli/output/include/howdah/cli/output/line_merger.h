// Output of many tasks as one: whole lines, each behind the name of its task. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"

namespace howdah::cli {

// What comes of one source is never mixed into a line of another. A line is put out once it is whole, or as long as any
// that is kept (64 KiB); what is left at the end without a newline gets one. Memory: one line a source.
class LineMerger {
 public:
  enum class Prefix { kNone, kTask };
  // colour: prefixes in the colour of their task.
  LineMerger(Prefix prefix, bool colour) : prefix_(prefix), colour_(colour) {}

  // Appends to `out` every line that is whole now.
  void Add(const backend::LogSource& source, std::string_view bytes, std::string& out);
  // Appends what has no newline yet, of all sources.
  void Finish(std::string& out);

 private:
  struct Source {
    std::string prefix;
    std::string line;  // begun, without its newline
  };
  Source& Of(const backend::LogSource& source);

  Prefix prefix_;
  bool colour_;
  std::map<backend::LogSource, Source> sources_;
};

}  // namespace howdah::cli
