#include "howdah/index/query/filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "howdah/base/number.h"
#include "howdah/base/result.h"
#include "howdah/base/text.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/advice_check.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::index::query {
namespace {

using core::JobState;
using Field = Term::Field;
using Comparison = Term::Comparison;

struct Key {
  std::string_view name;
  Field field;
};
constexpr std::array kKeys = {
    Key{"state", Field::kState},     Key{"user", Field::kUser},       Key{"queue", Field::kQueue},
    Key{"name", Field::kName},       Key{"tag", Field::kTag},         Key{"framework", Field::kFramework},
    Key{"backend", Field::kBackend}, Key{"node", Field::kNode},       Key{"check", Field::kCheck},
    Key{"since", Field::kSince},     Key{"until", Field::kUntil},     Key{"took", Field::kTook},
    Key{"gpus", Field::kGpus},       Key{"goodput", Field::kGoodput},
};

constexpr std::array kStates = {JobState::kQueued,    JobState::kStarting, JobState::kRunning, JobState::kRecovering,
                                JobState::kSucceeded, JobState::kFailed,   JobState::kKilled};

// Names of several states.
struct StateGroup {
  std::string_view name;
  bool (*has)(JobState);
};
constexpr std::array kStateGroups = {
    StateGroup{"waiting", [](JobState state) { return state == JobState::kQueued || state == JobState::kStarting; }},
    StateGroup{"live", [](JobState state) { return !core::IsFinal(state); }},
    StateGroup{"ended", [](JobState state) { return core::IsFinal(state); }},
};

// A word of the filter: the text before and after its first colon outside of quotes, without the quotes.
struct Word {
  size_t position = 0;
  bool negated = false;
  std::optional<std::string> key;
  std::string value;
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads the word that begins at `at`, and moves `at` behind it. Returns nullopt if a quote is not closed.
std::optional<Word> NextWord(std::string_view text, size_t& at) {
  Word word{.position = at};
  if (text[at] == '-' && at + 1 < text.size() && !IsBlank(text[at + 1])) word.negated = true, ++at;
  bool quoted = false;
  for (; at < text.size() && (quoted || !IsBlank(text[at])); ++at) {
    const char c = text[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ':' && !quoted && !word.key && !word.value.empty()) {
      word.key = std::exchange(word.value, "");
    } else {
      word.value += c;
    }
  }
  if (quoted) return std::nullopt;
  return word;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Error Mistake(std::string text) { return {ErrorCode::kUsage, std::move(text)}; }

std::string Suggestion(std::string_view text, const std::vector<std::string_view>& candidates) {
  const std::string_view nearest = keyfile::Nearest(text, candidates);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

Status TakeStates(const std::string& value, Term& term) {
  for (const std::string& part : SplitAtCommas(value)) {
    const std::string name = LowerCase(part);
    const size_t before = term.states.size();
    for (const JobState state : kStates) {
      if (LowerCase(core::ToText(state)) == name) term.states.push_back(state);
      for (const StateGroup& group : kStateGroups) {
        if (group.name == name && group.has(state)) term.states.push_back(state);
      }
    }
    if (term.states.size() > before) continue;
    std::vector<std::string_view> names;
    for (const JobState state : kStates) names.push_back(core::ToText(state));
    for (const StateGroup& group : kStateGroups) names.push_back(group.name);
    return Mistake("state: there is no state '" + Shown(part) + "'; write " + Join(names));
  }
  return {};
}

Status TakePatterns(const std::string& value, std::string_view me, Term& term) {
  for (const std::string& part : SplitAtCommas(value)) {
    const bool is_me = term.field == Field::kUser && part == "me";
    term.patterns.push_back(LowerCase(is_me ? me : std::string_view(part)));
  }
  if (term.field != Field::kCheck) return {};
  std::vector<std::string_view> names;
  for (size_t i = 0; i < jobspec::kAdviceCheckCount; ++i)
    names.push_back(jobspec::ToText(static_cast<jobspec::AdviceCheck>(i)));
  for (const std::string& pattern : term.patterns) {
    if (pattern.find('*') != std::string::npos || std::find(names.begin(), names.end(), pattern) != names.end())
      continue;
    return Mistake("check: there is no check '" + Shown(pattern) + "'" + Suggestion(pattern, names));
  }
  return {};
}

Status TakeTime(std::string_view key, const std::string& value, Instant now, Term& term) {
  const auto at = ParseTimeOrAge(value, now);
  if (!at) {
    return Mistake(std::string(key) + ": '" + Shown(value) +
                   "' is not a time; write a duration before now (7d, 12h), a date (2026-11-21) or a time "
                   "(2026-11-21T06:45:12.000Z)");
  }
  term.at = *at;
  return {};
}

Comparison TakeComparison(std::string& value) {
  const auto take = [&](std::string_view sign) {
    if (!value.starts_with(sign)) return false;
    value.erase(0, sign.size());
    return true;
  };
  if (take(">=")) return Comparison::kGreaterOrEqual;
  if (take("<=")) return Comparison::kLessOrEqual;
  if (take(">")) return Comparison::kGreater;
  if (take("<")) return Comparison::kLess;
  return Comparison::kEqual;
}

Status TakeAmount(std::string_view key, std::string value, Term& term) {
  const std::string written = value;
  term.comparison = TakeComparison(value);
  if (term.field == Field::kTook) {
    const auto duration = ParseDuration(value);
    if (!duration || term.comparison == Comparison::kEqual)
      return Mistake("took: '" + Shown(written) + "' is not a comparison with a duration; write >1h or <10m");
    term.number = static_cast<double>(duration->count()) / 1e6;
    return {};
  }
  const bool is_share = term.field == Field::kGoodput;
  const bool percent = is_share && value.ends_with('%');
  if (percent) value.pop_back();
  const auto number = ParseNumber<double>(value, std::chars_format::fixed);
  if (!number || !std::isfinite(*number) || *number < 0) {
    return Mistake(std::string(key) + ": '" + Shown(written) + "' is not a number; write " +
                   (is_share ? "<50% or >0.9" : "8, >8 or <=4"));
  }
  term.number = percent ? *number / 100 : *number;
  return {};
}

Result<Term> TermOf(const Word& word, std::string_view me, Instant now) {
  Term term{.negated = word.negated};
  if (!word.key) {
    term.patterns = {LowerCase(word.value)};
    return term;
  }
  const std::string name = LowerCase(*word.key);
  const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& each) { return each.name == name; });
  if (key == kKeys.end()) {
    std::vector<std::string_view> names;
    for (const Key& each : kKeys) names.push_back(each.name);
    const std::string suggestion = Suggestion(name, names);
    return Mistake(
        "there is no key '" + Shown(*word.key) + "'" +
        (suggestion.empty() ? "; the keys are " + Join(names) + ". Put a text with a colon in quotes" : suggestion));
  }
  term.field = key->field;
  if (Trim(word.value).empty() || SplitAtCommas(word.value).empty())
    return Mistake(std::string(key->name) + ": a value is missing after the colon");
  switch (term.field) {
    case Field::kState:
      HOWDAH_TRY_STATUS(TakeStates(word.value, term));
      break;
    case Field::kSince:
    case Field::kUntil:
      HOWDAH_TRY_STATUS(TakeTime(key->name, word.value, now, term));
      break;
    case Field::kTook:
    case Field::kGpus:
    case Field::kGoodput:
      HOWDAH_TRY_STATUS(TakeAmount(key->name, word.value, term));
      break;
    default:
      HOWDAH_TRY_STATUS(TakePatterns(word.value, me, term));
  }
  return term;
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& text) {
  const std::string lower = LowerCase(text);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, lower); });
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return MatchesAny(patterns, text); });
}

bool HasWord(const JobRow& row, const std::string& word) {
  const auto has = [&](const std::string& text) { return LowerCase(text).find(word) != std::string::npos; };
  return has(row.name) || has(row.id) || has(row.reason) || std::any_of(row.tags.begin(), row.tags.end(), has);
}

bool Compare(const std::optional<double>& value, Comparison comparison, double number) {
  if (!value) return false;
  switch (comparison) {
    case Comparison::kEqual:
      return *value == number;
    case Comparison::kLess:
      return *value < number;
    case Comparison::kLessOrEqual:
      return *value <= number;
    case Comparison::kGreater:
      return *value > number;
    case Comparison::kGreaterOrEqual:
      return *value >= number;
  }
  return false;
}

bool MatchesTerm(const Term& term, const JobRow& row, Instant now) {
  switch (term.field) {
    case Field::kWord:
      return HasWord(row, term.patterns.front());
    case Field::kState:
      return std::find(term.states.begin(), term.states.end(), row.state) != term.states.end();
    case Field::kUser:
      return MatchesAny(term.patterns, row.user);
    case Field::kQueue:
      return MatchesAny(term.patterns, row.queue);
    case Field::kName:
      return MatchesAny(term.patterns, row.name);
    case Field::kTag:
      return MatchesAny(term.patterns, row.tags);
    case Field::kFramework:
      return MatchesAny(term.patterns, row.framework);
    case Field::kBackend:
      return MatchesAny(term.patterns, row.backend);
    case Field::kNode:
      return MatchesAny(term.patterns, row.nodes);
    case Field::kCheck:
      return MatchesAny(term.patterns, row.checks);
    case Field::kId:
      return MatchesAny(term.patterns, row.id);
    case Field::kSince:
      return !core::IsFinal(row.state) || (row.finished && *row.finished >= term.at);
    case Field::kUntil:
      return row.submitted && *row.submitted < term.at;
    case Field::kTook: {
      const auto took = TookUntil(row, now);
      const auto seconds = took ? std::optional(static_cast<double>(took->count()) / 1e6) : std::nullopt;
      return Compare(seconds, term.comparison, term.number);
    }
    case Field::kGpus: {
      const auto gpus = row.gpus ? std::optional(static_cast<double>(*row.gpus)) : std::nullopt;
      return Compare(gpus, term.comparison, term.number);
    }
    case Field::kGoodput:
      return Compare(row.goodput, term.comparison, term.number);
  }
  return false;
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<Duration> TookUntil(const JobRow& row, Instant now) {
  if (!row.started) return std::nullopt;
  if (core::IsFinal(row.state) && !row.finished) return std::nullopt;
  return std::max(Duration(), row.finished.value_or(now) - *row.started);
}

std::optional<Instant> ParseTimeOrAge(std::string_view text, Instant now) {
  if (const auto age = ParseDuration(text)) return now - *age;
  constexpr size_t kDateSize = std::string_view("2026-11-21").size();
  if (text.size() != kDateSize) return ParseInstant(text);
  std::string midnight(text);
  midnight += "T00:00:00.000Z";
  return ParseInstant(midnight);
}

std::variant<Filter, FilterMistake> ParseFilter(std::string_view text, std::string_view me, Instant now) {
  if (text.size() > kLongestFilter)
    return FilterMistake{kLongestFilter, "the filter has more than " + std::to_string(kLongestFilter) + " bytes"};
  Filter filter;
  for (size_t at = 0; at < text.size();) {
    if (IsBlank(text[at])) {
      ++at;
      continue;
    }
    const size_t position = at;
    const auto word = NextWord(text, at);
    if (!word) return FilterMistake{position, "the quote in '" + Shown(text.substr(position)) + "' is not closed"};
    if (!word->key && word->value.empty()) continue;  // "" or -""
    auto term = TermOf(*word, me, now);
    if (!term.ok()) return FilterMistake{position, term.error().message};
    filter.push_back(std::move(*term));
  }
  return filter;
}

bool Matches(const Filter& filter, const JobRow& row, Instant now) {
  return std::all_of(filter.begin(), filter.end(),
                     [&](const Term& term) { return MatchesTerm(term, row, now) != term.negated; });
}

}  // namespace howdah::index::query
