#include "log_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

namespace howdah::portal {
namespace {

constexpr int64_t kBlock = int64_t{1} << 20;
constexpr int64_t kExpressionMemory = int64_t{8} << 20;

// Calls on_newline with the position of each newline, until it returns false. memchr is several times faster than a
// loop over the bytes.
template <typename OnNewline>
void ForEachNewline(std::string_view text, const OnNewline& on_newline) {
  for (size_t at = 0; at < text.size(); ++at) {
    const void* const found = std::memchr(text.data() + at, '\n', text.size() - at);
    if (found == nullptr) return;
    at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    if (!on_newline(at)) return;
  }
}

// Returns the position at which the line that contains a position begins. A newline is the end of its line.
size_t BeginOfLine(std::string_view lines, size_t at) { return at == 0 ? 0 : lines.rfind('\n', at - 1) + 1; }

// The lines of a log that may match, each with its offset and number.
class LineReader {
 public:
  LineReader(const LineMatcher& matcher, const std::function<bool(const LogHit&, std::string_view)>& on_line)
      : matcher_(matcher), on_line_(on_line) {}

  // Returns false if on_line has returned false.
  bool Add(std::string_view bytes) {
    if (length_ > 0) {
      const auto first = std::find(bytes.begin(), bytes.end(), '\n');
      const auto size = static_cast<size_t>(first - bytes.begin());
      Keep(bytes.substr(0, size));
      if (first == bytes.end()) return true;
      if (!Finish(line_, /*newline=*/1)) return false;
      bytes.remove_prefix(size + 1);
    }
    const size_t complete = bytes.rfind('\n') + 1;  // 0 if there is no newline
    if (!AddLines(bytes.substr(0, complete))) return false;
    Keep(bytes.substr(complete));
    return true;
  }

  // The end of the log.
  bool End() { return length_ == 0 || Finish(line_, 0); }

 private:
  void Keep(std::string_view beginning) {
    line_ += beginning.substr(0, kLongestSearchedLine - std::min(line_.size(), kLongestSearchedLine));
    length_ += static_cast<int64_t>(beginning.size());
  }

  // Whole lines, which are not copied.
  bool AddLines(std::string_view lines) {
    for (size_t at = 0; at < lines.size();) {
      const size_t match = matcher_.FindIn(lines.substr(at));
      const size_t begin = match == std::string_view::npos ? lines.size() : BeginOfLine(lines, at + match);
      const std::string_view skipped = lines.substr(at, begin - at);
      ForEachNewline(skipped, [this](size_t) { return ++number_, true; });
      offset_ += static_cast<int64_t>(skipped.size());
      if (begin == lines.size()) return true;
      const size_t end = lines.find('\n', begin);
      length_ = static_cast<int64_t>(end - begin);
      if (!Finish(lines.substr(begin, std::min(end - begin, kLongestSearchedLine)), /*newline=*/1)) return false;
      at = end + 1;
    }
    return true;
  }

  bool Finish(std::string_view line, int64_t newline) {
    const bool goes_on = on_line_({.offset = offset_, .line = number_}, line);
    offset_ += length_ + newline;
    ++number_;
    length_ = 0;
    line_.clear();
    return goes_on;
  }

  const LineMatcher& matcher_;
  const std::function<bool(const LogHit&, std::string_view)>& on_line_;
  std::string line_;    // the beginning of the current line, from earlier blocks
  int64_t length_ = 0;  // bytes of the current line
  int64_t offset_ = 0, number_ = 1;
};

// An expression that is found in a text of several lines wherever `query` is found in one of them, and perhaps
// elsewhere: \s, for example, matches a newline, too. nullptr if `query` may have another meaning at the ends of lines.
std::shared_ptr<const re2::RE2> ExpressionForLines(const std::string& query, const re2::RE2::Options& options) {
  for (const char* special : {"\\A", "\\z", "\\Q", "(?"}) {
    if (query.find(special) != std::string::npos) return nullptr;
  }
  auto expression = std::make_shared<const re2::RE2>("(?m)(?:" + query + ")", options);
  return expression->ok() ? expression : nullptr;
}

}  // namespace

Result<int64_t> OffsetOfLine(backend::LogFile& log, int64_t line) {
  int64_t newlines = line - 1;
  for (int64_t offset = 0;;) {
    if (newlines <= 0) return offset;
    HOWDAH_TRY(const std::string block, log.Read(offset, kBlock));
    if (block.empty()) return offset;
    size_t begin = 0;  // of the line after the newline found last
    ForEachNewline(block, [&](size_t at) { return begin = at + 1, --newlines > 0; });
    if (newlines == 0) return offset + static_cast<int64_t>(begin);
    offset += static_cast<int64_t>(block.size());
  }
}

Result<int64_t> OffsetOfTail(backend::LogFile& log, int64_t lines) {
  HOWDAH_TRY(const int64_t size, log.Size());
  if (lines <= 0) return size;
  int64_t newlines = 0;
  for (int64_t end = size; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kBlock);
    HOWDAH_TRY(const std::string block, log.Read(begin, end - begin));
    for (size_t i = block.size(); i > 0; --i) {
      const int64_t at = begin + static_cast<int64_t>(i) - 1;
      // The newline at the very end ends the last line and begins none.
      if (block[i - 1] == '\n' && at != size - 1 && ++newlines == lines) return at + 1;
    }
    end = begin;
  }
  return 0;
}

Result<LineMatcher> LineMatcher::Make(const std::string& query, bool is_expression) {
  if (query.empty()) return Error{ErrorCode::kUsage, "q: the text to search for is missing"};
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kExpressionMemory);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // a log may have bytes that are not UTF-8
  options.set_literal(!is_expression);
  const bool has_capital = std::any_of(query.begin(), query.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  options.set_case_sensitive(is_expression || has_capital);
  auto expression = std::make_shared<const re2::RE2>(query, options);
  if (!expression->ok()) {
    return Error{ErrorCode::kUsage, "q: '" + query + "' is not a valid regular expression: " + expression->error() +
                                        "; the syntax is that of RE2"};
  }
  auto for_lines = is_expression ? ExpressionForLines(query, options) : expression;
  const bool has_end = is_expression && query.find('$') != std::string::npos;
  return LineMatcher(std::move(expression), std::move(for_lines), has_end);
}

size_t LineMatcher::FindIn(std::string_view lines) const {
  // A line ends before its carriage return, but `$` matches only before a newline.
  if (!for_lines_ || (has_end_ && lines.find('\r') != std::string_view::npos)) return 0;
  const re2::StringPiece text(lines.data(), lines.size());
  re2::StringPiece match;
  if (!for_lines_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return std::string_view::npos;
  return static_cast<size_t>(match.data() - lines.data());
}

bool LineMatcher::Matches(std::string_view line) const {
  return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *expression_);
}

Result<bool> SearchLog(backend::LogFile& log, const LineMatcher& matcher,
                       const std::function<bool(const LogHit&)>& on_hit, const std::atomic<bool>& cancelled) {
  const std::function<bool(const LogHit&, std::string_view)> on_line = [&](LogHit place, std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!matcher.Matches(line)) return true;
    place.text = line.substr(0, kLongestHit);
    return on_hit(place);
  };
  LineReader lines(matcher, on_line);
  for (int64_t offset = 0; !cancelled;) {
    HOWDAH_TRY(const std::string block, log.Read(offset, kBlock));
    if (block.empty()) return lines.End();
    if (!lines.Add(block)) return false;
    offset += static_cast<int64_t>(block.size());
  }
  return false;
}

}  // namespace howdah::portal
