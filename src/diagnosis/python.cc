#include "python.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "text.h"

namespace howdah::diagnosis {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kHeading = "Traceback (most recent call last):";
constexpr std::string_view kGroupHeading = "+ Exception Group ";

struct Frame {
  std::string file;
  int line = 0;
};

// Walks over lines with the same margin: none, "  | " within an exception group, or "[rank0]: " as newer versions of
// torch print.
class Reader {
 public:
  Reader(const Lines& lines, size_t at, std::string margin) : lines_(lines), at_(at), margin_(std::move(margin)) {}

  // The line without its margin. Returns nullopt at the end of the lines with this margin.
  std::optional<std::string_view> Line() const {
    if (at_ >= lines_.size()) return std::nullopt;
    const std::string_view line = lines_[at_];
    if (line.starts_with(margin_)) return line.substr(margin_.size());
    if (line == Trim(margin_)) return "";
    return std::nullopt;
  }
  void Next() { ++at_; }
  size_t at() const { return at_; }

 private:
  const Lines& lines_;
  size_t at_;
  std::string margin_;
};

// Parses 'File "train.py", line 7, in main'. The frame of a syntax error names no function.
std::optional<Frame> ParseFrame(std::string_view line) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  line = Trim(line);
  if (!line.starts_with(kFile)) return std::nullopt;
  const size_t end = line.find(kLine);
  if (end == line.npos) return std::nullopt;
  Frame frame{std::string(line.substr(kFile.size(), end - kFile.size()))};
  const std::string_view number = line.substr(end + kLine.size());
  std::from_chars(number.data(), number.data() + number.size(), frame.line);
  return frame.line > 0 ? std::optional(frame) : std::nullopt;
}

// Whether a frame is in a library or in code that a library has generated.
bool IsLibrary(std::string_view file) {
  for (const std::string_view part :
       {"/site-packages/", "/dist-packages/", "/lib/python3", "__autograph_generated_file"}) {
    if (Contains(file, part)) return true;
  }
  return file.starts_with('<') && file != "<string>" && file != "<stdin>";
}

void Locate(const std::vector<Frame>& frames, std::string_view working_directory, PythonException& exception) {
  if (frames.empty()) return;
  auto frame = std::find_if(frames.rbegin(), frames.rend(), [](const Frame& f) { return !IsLibrary(f.file); });
  if (frame == frames.rend()) frame = frames.rbegin();
  std::string_view file = frame->file;
  const bool below = !working_directory.empty() && file.starts_with(working_directory) &&
                     file.substr(working_directory.size()).starts_with('/');
  if (below) file.remove_prefix(working_directory.size() + 1);
  exception.file = file;
  exception.line = frame->line;
}

// Parses "json.decoder.JSONDecodeError: Expecting ..." or "AssertionError".
std::optional<PythonException> ParseExceptionLine(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c >= 0x80;
  });
  if (!is_name || std::isdigit(static_cast<unsigned char>(name.front()))) return std::nullopt;
  PythonException exception{std::string(name.substr(name.rfind('.') + 1))};
  if (name.size() < line.size()) exception.message = Trim(line.substr(name.size() + 1));
  return exception;
}

// Whether a line after the first line of an exception ends its message: a logger's line or a separator.
bool EndsMessage(std::string_view line) {
  if (Trim(line).empty()) return true;
  for (const std::string_view start :
       {"---", "[W", "[E", "[I", "WARNING", "INFO", "DEBUG", "ERROR", "Exception ignored", "terminate called",
        "The above exception", "During handling"}) {
    if (line.starts_with(start)) return true;
  }
  return line.find_first_of("0123456789/") == 0 || ParseFrame(line) || Contains(line, kHeading);
}

// TensorFlow wraps an error of a traced function in another exception. The message of that exception contains the
// frames and the original exception, indented.
void Unwrap(Reader reader, std::string_view working_directory, PythonException& exception) {
  constexpr std::string_view kIndent = "    ";
  std::vector<Frame> frames;
  for (; const auto line = reader.Line(); reader.Next()) {
    if (line->empty()) continue;
    if (!line->starts_with(kIndent)) return;
    const std::string_view inner = line->substr(kIndent.size());
    if (const auto frame = ParseFrame(inner)) {
      frames.push_back(*frame);
    } else if (!inner.starts_with(' ')) {
      if (auto unwrapped = ParseExceptionLine(inner)) {
        Locate(frames, working_directory, *unwrapped);
        exception = *unwrapped;
      }
      return;
    }
  }
}

// Reads an exception, beginning with the line after a heading.
std::optional<PythonException> ParseTraceback(Reader& reader, std::string_view working_directory) {
  constexpr int kMoreLines = 2;  // lines of the message after its first line
  std::vector<Frame> frames;
  for (; reader.Line() && (reader.Line()->starts_with("  ") || reader.Line()->empty()); reader.Next()) {
    if (const auto frame = ParseFrame(*reader.Line())) frames.push_back(*frame);
  }
  if (!reader.Line()) return std::nullopt;
  auto exception = ParseExceptionLine(*reader.Line());
  if (!exception) return std::nullopt;
  Locate(frames, working_directory, *exception);
  reader.Next();
  if (exception->message == "in user code:") {
    Unwrap(reader, working_directory, *exception);
    return exception;
  }
  for (int i = 0; i < kMoreLines && reader.Line() && !EndsMessage(*reader.Line()); ++i, reader.Next()) {
    exception->message += (exception->message.empty() ? "" : " | ") + std::string(Trim(*reader.Line()));
  }
  return exception;
}

// Reads the first exception of a group. `at` is the line after the group's own message.
std::optional<PythonException> FirstOfGroup(const Lines& lines, size_t at, std::string_view working_directory) {
  constexpr size_t kMarginGrowth = 2;
  const size_t plus = at < lines.size() ? lines[at].find("+-+--") : std::string::npos;
  if (plus == std::string::npos) return std::nullopt;
  Reader reader(lines, at + 1, std::string(plus + kMarginGrowth, ' ') + "| ");
  if (reader.Line() && Contains(*reader.Line(), kHeading)) {
    reader.Next();
    return ParseTraceback(reader, working_directory);
  }
  return reader.Line() ? ParseExceptionLine(*reader.Line()) : std::nullopt;
}

// Returns how the traceback at lines[heading] is linked to the previous one. Returns "" if it is not linked.
std::string LinkBefore(const Lines& lines, size_t heading) {
  for (size_t back = 1; back <= 2 && back <= heading; ++back) {
    const std::string& line = lines[heading - back];
    if (Contains(line, "was the direct cause of the following exception")) return "caused by";
    if (Contains(line, "another exception occurred")) return "while handling";
  }
  return "";
}

// Whether the traceback at lines[heading] is that of an exception that Python could not raise, as in a destructor. The
// program has gone on. torch prints such tracebacks when it ends after a failure.
bool IsIgnored(const Lines& lines, size_t heading) {
  return heading > 0 && Contains(lines[heading - 1], "Exception ignored ");
}

// Finds a syntax error, for which Python prints no traceback.
std::optional<PythonFailure> FindSyntaxError(const Lines& lines, std::string_view working_directory) {
  for (size_t i = lines.size(); i-- > 0;) {
    const auto exception = ParseExceptionLine(lines[i]);
    if (!exception ||
        (exception->type != "SyntaxError" && exception->type != "IndentationError" && exception->type != "TabError")) {
      continue;
    }
    PythonFailure failure{*exception, std::nullopt, ""};
    constexpr size_t kShownLines = 4;  // file, source, caret, and the exception
    for (size_t back = 1; back <= kShownLines && back <= i; ++back) {
      if (const auto frame = ParseFrame(lines[i - back])) {
        Locate({*frame}, working_directory, failure.last);
        return failure;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string PythonException::Location() const { return line == 0 ? "" : file + " line " + std::to_string(line); }

std::string PythonException::ToText() const {
  constexpr size_t kLongestMessage = 180;  // leaves room for the location
  std::string text = type;
  if (!message.empty()) text += ": " + Shorten(message, kLongestMessage);
  while (text.ends_with('.')) text.pop_back();
  return line == 0 ? text : text + " (" + Location() + ")";
}

std::string PythonFailure::ToText() const { return last.ToText() + (first ? ", " + link + " " + first->ToText() : ""); }

std::optional<PythonFailure> FindPythonFailure(const Lines& lines, std::string_view working_directory) {
  std::optional<PythonFailure> failure, ignored;
  for (size_t i = 0; i < lines.size();) {
    const size_t heading = lines[i].find(kHeading);
    if (heading == std::string::npos) {
      ++i;
      continue;
    }
    const std::string link = LinkBefore(lines, i);
    const bool is_ignored = IsIgnored(lines, i);
    std::string margin = lines[i].substr(0, heading);
    const size_t plus = margin.find(kGroupHeading);
    const bool group = plus != margin.npos;
    if (group) margin = margin.substr(0, plus) + "| ";
    Reader reader(lines, i + 1, margin);
    const auto exception = ParseTraceback(reader, working_directory);
    i = reader.at();
    if (!exception) continue;
    PythonFailure next{*exception, std::nullopt, ""};
    if (is_ignored) {
      ignored = std::move(next);
      continue;
    }
    if (const auto first = group ? FirstOfGroup(lines, i, working_directory) : std::nullopt) {
      next.first = first;
      next.link = "the first";
      while (i < lines.size() && lines[i].starts_with("  ")) ++i;  // skip the tracebacks of the group's members
    } else if (failure && !link.empty()) {
      next.first = failure->first && failure->link != "the first" ? failure->first : failure->last;
      next.link = link;
    }
    failure = std::move(next);
  }
  if (!failure) failure = FindSyntaxError(lines, working_directory);
  return failure ? failure : ignored;
}

}  // namespace howdah::diagnosis
