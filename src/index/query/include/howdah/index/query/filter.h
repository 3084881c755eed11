// The filter of the list of jobs: "state:RUNNING user:me since:7d resnet". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/index/query/job_row.h"

namespace howdah::index::query {

// A term of a filter. A job matches the filter if it matches every term.
struct Term {
  enum class Field {
    kWord,  // a part of the name, the id, the reason or a tag
    kState,
    kUser,
    kQueue,
    kName,
    kTag,
    kFramework,
    kBackend,
    kNode,
    kCheck,
    kId,     // for programs; the text of a filter cannot contain it
    kSince,  // ended at or after the time, or has not ended
    kUntil,  // submitted before the time
    kTook,
    kGpus,
    kGoodput,
  };
  enum class Comparison { kEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

  Field field = Field::kWord;
  bool negated = false;
  // kWord: one text. kUser to kId: patterns in which '*' stands for any text; one of them must match. All in lower
  // case, because letter case is ignored.
  std::vector<std::string> patterns = {};
  std::vector<core::JobState> states = {};     // kState: one of them must match
  Comparison comparison = Comparison::kEqual;  // kTook, kGpus, kGoodput
  double number = 0;                           // kTook: seconds; kGpus; kGoodput: from 0 to 1
  Instant at{};                                // kSince, kUntil
  friend bool operator==(const Term&, const Term&) = default;
};

using Filter = std::vector<Term>;

// A mistake in a filter.
struct FilterMistake {
  size_t position = 0;  // of the term with the mistake, in bytes
  std::string text;     // one sentence for people: the mistake, and what to write instead
  friend bool operator==(const FilterMistake&, const FilterMistake&) = default;
};

// Reads a duration before `now` ("7d"), a date in UTC ("2026-11-21"), or a time as FormatInstant writes it.
std::optional<Instant> ParseTimeOrAge(std::string_view text, Instant now);

// me: the user that "user:me" stands for. now: durations such as "since:7d" count back from it. Accepts any bytes.
std::variant<Filter, FilterMistake> ParseFilter(std::string_view text, std::string_view me, Instant now);

bool Matches(const Filter& filter, const JobRow& row, Instant now);

// Whether the pattern, in which '*' stands for any text, matches the whole text. Respects letter case. The time is
// bounded by the product of the sizes.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// The longest filter that is parsed, in bytes. A longer one is a mistake.
inline constexpr size_t kLongestFilter = 2000;

}  // namespace howdah::index::query
