// Finds lines and hits in a log that is read by position. Blocks as long as its reads do; otherwise pure.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"

namespace re2 {
class RE2;
}

namespace howdah::portal {

// Returns the offset at which a line begins; the first line is 1. Returns the size of the log if it has fewer lines.
Result<int64_t> OffsetOfLine(backend::LogFile& log, int64_t line);
// Returns the offset at which the last `lines` lines begin. An unterminated last line counts as a line.
Result<int64_t> OffsetOfTail(backend::LogFile& log, int64_t lines);

struct LogHit {
  int64_t offset = 0;  // of the first byte of the line
  int64_t line = 0;    // its number, from 1
  std::string text;    // the line without its end, at most kLongestHit bytes
};
inline constexpr size_t kLongestHit = 2000;
// The search looks only at the beginning of a longer line.
inline constexpr size_t kLongestSearchedLine = size_t{1} << 20;

// Matches lines with a text, or with a regular expression (RE2). Letter case is ignored for a text without capitals.
class LineMatcher {
 public:
  // kUsage for an empty query, and for an invalid expression, with the reason.
  static Result<LineMatcher> Make(const std::string& query, bool is_expression);
  bool Matches(std::string_view line) const;
  // Returns a position in `lines` before which no line matches, and npos if none matches. The line at the position may
  // match. Much faster than Matches for each line. lines: each ends with a newline.
  size_t FindIn(std::string_view lines) const;

 private:
  using Expression = std::shared_ptr<const re2::RE2>;
  LineMatcher(Expression expression, Expression for_lines, bool has_end)
      : expression_(std::move(expression)), for_lines_(std::move(for_lines)), has_end_(has_end) {}

  Expression expression_;  // for one line
  Expression for_lines_;   // for several lines; nullptr if each line must be looked at
  bool has_end_;           // the expression refers to the end of a line
};

// Passes each matching line to on_hit, in order, until on_hit returns false or `cancelled` is set. Memory is bounded,
// however long the lines are. Returns whether the whole log was searched.
Result<bool> SearchLog(backend::LogFile& log, const LineMatcher& matcher,
                       const std::function<bool(const LogHit&)>& on_hit, const std::atomic<bool>& cancelled);

}  // namespace howdah::portal
