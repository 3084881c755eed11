#include "howdah/diagnosis/stacks.h"

#include <optional>
#include <vector>

#include "text.h"

namespace howdah::diagnosis {
namespace {

constexpr size_t kNameLimit = 80;

struct StackFrame {
  std::string function, file, line;

  // py-spy prints the path of a library file relative to the interpreter's search path ("torch/distributed/…"). It
  // prints the path of the program itself as a file name or an absolute path.
  bool IsLibrary() const {
    const bool relative = file.find('/') != std::string::npos && file.front() != '/';
    return relative || file.front() == '<' || Contains(file, "site-packages/") || Contains(file, "dist-packages/") ||
           Contains(file, "/lib/python");
  }
  std::string Text() const {
    return Shorten(function, kNameLimit) + " (" + Shorten(std::string(BaseName(file)), kNameLimit) + ":" + line + ")";
  }
};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Parses `File "/x/train.py", line 3 in main`.
std::optional<StackFrame> FaulthandlerFrame(std::string_view line) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = " in ";
  const size_t number = line.find(kLine);
  if (!line.starts_with(kFile) || number == std::string_view::npos) return std::nullopt;
  const std::string_view file = line.substr(kFile.size(), number - kFile.size());
  const std::string_view rest = line.substr(number + kLine.size());
  const size_t in = rest.find(kIn);
  if (in == std::string_view::npos || !IsNumber(rest.substr(0, in)) || file.empty()) return std::nullopt;
  return StackFrame{std::string(rest.substr(in + kIn.size())), std::string(file), std::string(rest.substr(0, in))};
}

// Parses `main (train.py:40)`.
std::optional<StackFrame> PySpyFrame(std::string_view line) {
  const size_t open = line.rfind(" ("), colon = line.rfind(':');
  if (open == std::string_view::npos || colon == std::string_view::npos || colon < open || line.back() != ')')
    return std::nullopt;
  const std::string_view file = line.substr(open + 2, colon - open - 2);
  const std::string_view number = line.substr(colon + 1, line.size() - colon - 2);
  if (open == 0 || file.empty() || !IsNumber(number)) return std::nullopt;
  return StackFrame{std::string(line.substr(0, open)), std::string(file), std::string(number)};
}

// Returns the frames of the main thread, or of the first thread if no thread is marked as the main one.
std::vector<StackFrame> MainThread(std::string_view text) {
  std::vector<StackFrame> first, frames;
  bool is_main = false;
  for (const std::string& whole : CleanLines(text)) {
    const std::string_view line = Trim(whole);
    const bool current = line.starts_with("Current thread");
    if (current || line.starts_with("Thread ")) {
      if (is_main && !frames.empty()) return frames;
      if (first.empty()) first = std::move(frames);
      frames.clear();
      is_main = current || Contains(line, "\"MainThread\"");
      continue;
    }
    auto frame = FaulthandlerFrame(line);
    if (!frame) frame = PySpyFrame(line);
    if (frame) frames.push_back(std::move(*frame));
  }
  return is_main || first.empty() ? frames : first;
}

}  // namespace

std::string StackLocation(std::string_view text) {
  const std::vector<StackFrame> frames = MainThread(text);
  if (frames.empty()) return "";
  std::string where = frames.front().Text();
  if (!frames.front().IsLibrary()) return where;
  for (const StackFrame& frame : frames) {
    if (!frame.IsLibrary()) return where + ", called from " + frame.Text();
  }
  return where;
}

}  // namespace howdah::diagnosis
