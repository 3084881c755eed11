#include "log_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace howdah::portal {
namespace {

constexpr int64_t kBlock = int64_t{1} << 20;
constexpr int64_t kExpressionMemory = int64_t{8} << 20;

// The lines of a log, each with its offset and number.
class LineReader {
 public:
  explicit LineReader(const std::function<bool(const LogHit&, std::string_view)>& on_line) : on_line_(on_line) {}

  // Returns false if on_line has returned false.
  bool Add(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      const size_t kept = std::min(end, kLongestSearchedLine - std::min(line_.size(), kLongestSearchedLine));
      const bool is_complete = end < bytes.size();
      // A line within one block need not be copied.
      const bool goes_on = !is_complete || Finish(line_.empty() ? bytes.substr(0, kept) : Joined(bytes.substr(0, kept)),
                                                  static_cast<int64_t>(end) + 1);
      if (!goes_on) return false;
      if (!is_complete) {
        line_ += bytes.substr(0, kept);
        length_ += static_cast<int64_t>(end);
      }
      bytes.remove_prefix(is_complete ? end + 1 : end);
    }
    return true;
  }

  // The end of the log.
  bool End() { return length_ == 0 || Finish(line_, 0); }

 private:
  std::string_view Joined(std::string_view more) {
    line_ += more;
    return line_;
  }

  bool Finish(std::string_view line, int64_t more) {
    const bool goes_on = on_line_({.offset = offset_, .line = number_}, line);
    offset_ += length_ + more;
    ++number_;
    length_ = 0;
    line_.clear();
    return goes_on;
  }

  const std::function<bool(const LogHit&, std::string_view)>& on_line_;
  std::string line_;    // the beginning of the current line, from earlier blocks
  int64_t length_ = 0;  // bytes of the current line in earlier blocks
  int64_t offset_ = 0, number_ = 1;
};

}  // namespace

Result<int64_t> OffsetOfLine(backend::LogFile& log, int64_t line) {
  int64_t newlines = line - 1;
  for (int64_t offset = 0;;) {
    if (newlines <= 0) return offset;
    HOWDAH_TRY(const std::string block, log.Read(offset, kBlock));
    if (block.empty()) return offset;
    const char* at = block.data();
    const char* const end = at + block.size();
    while (at < end && newlines > 0) {
      at = std::find(at, end, '\n');
      if (at < end) ++at, --newlines;
    }
    if (newlines == 0) return offset + (at - block.data());
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
  return LineMatcher(std::move(expression));
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
  LineReader lines(on_line);
  for (int64_t offset = 0; !cancelled;) {
    HOWDAH_TRY(const std::string block, log.Read(offset, kBlock));
    if (block.empty()) return lines.End();
    if (!lines.Add(block)) return false;
    offset += static_cast<int64_t>(block.size());
  }
  return false;
}

}  // namespace howdah::portal
