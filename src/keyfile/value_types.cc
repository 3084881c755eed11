#include "howdah/keyfile/value_types.h"

#include <algorithm>

#include "howdah/base/bytes.h"
#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "howdah/keyfile/pattern.h"
#include "howdah/keyfile/variables.h"
#include "howdah/keyfile/words.h"

namespace howdah::keyfile {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsNegative(std::string_view text) {
  return text.size() > 1 && text.front() == '-' && text[1] >= '0' && text[1] <= '9';
}

// Returns "write 2GiB or 2048MiB" for a number without a unit. A small number probably means gigabytes, a large one
// megabytes.
std::string MemoryRemedy(std::string_view number) {
  constexpr int64_t kGigabytesMax = 128;
  const int64_t n = ParseNumber<int64_t>(number).value_or(0);
  if (n == 0 || number.size() > 9) return "write for example 2GiB";
  if (n <= kGigabytesMax) return "write " + std::to_string(n) + "GiB or " + std::to_string(n * 1024) + "MiB";
  const std::string megabytes = "write " + std::to_string(n) + "MiB";
  return n % 1024 == 0 ? megabytes + " or " + std::to_string(n / 1024) + "GiB" : megabytes;
}

// A size with the unit as other tools write it: a blank before the unit, another case, "Gi" without the "B".
struct ForeignSize {
  std::string number, unit;  // unit: in lower case, such as "gi"; one letter is ambiguous
};

std::optional<ForeignSize> ParseForeignSize(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  size_t unit = digits;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  if (digits == 0 || text.size() == unit || text.size() > unit + 3) return std::nullopt;
  return ForeignSize{std::string(text.substr(0, digits)), LowerCase(text.substr(unit))};
}

// Returns the unit of job files with this meaning: "GiB" for "gi" and "gib", "GB" for "gb", and "GiB" for "g".
std::string UnitOf(const std::string& foreign) {
  for (const std::string_view unit : {"KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "TB"}) {
    const std::string lower = LowerCase(unit);
    if (lower == foreign || lower == foreign + (foreign.size() == 1 ? "ib" : "b")) return std::string(unit);
  }
  return "";
}

// Accepts a size as other tools write it if it has only one meaning. Kubernetes' 2G is 2GB, Hadoop's and Slurm's is
// 2GiB.
std::optional<int64_t> ReadForeignMemory(Reader& r, const Node& n, const std::string& text) {
  const auto size = ParseForeignSize(text);
  const std::string unit = size ? UnitOf(size->unit) : "";
  const auto bytes = unit.empty() ? std::nullopt : ParseBytes(size->number + unit);
  if (bytes && size->unit.size() > 1) return bytes;
  const std::string invalid = "invalid memory size " + Quoted(text);
  if (bytes) {
    r.Fail(n,
           invalid + "; write " + size->number + unit + ", or " + size->number + unit.front() + "B for powers of 1000");
  } else {
    r.Fail(n, invalid + "; write a whole number with KiB, MiB, GiB or TiB, for example 4GiB");
  }
  return std::nullopt;
}

bool ReadMemory(Reader& r, const Node& n, int64_t& out) {
  const auto text = r.Text(n, "a memory size such as 4GiB");
  if (!text) return false;
  if (IsNegative(*text)) return r.Fail(n, Quoted(*text) + " is negative; write for example 2GiB");
  if (IsNumber(*text)) return r.Fail(n, Quoted(*text) + " has no unit; " + MemoryRemedy(*text));
  auto bytes = ParseBytes(*text);
  if (!bytes) bytes = ReadForeignMemory(r, n, *text);
  if (!bytes) return false;
  if (*bytes == 0) return r.Fail(n, "must be more than 0; write for example 2GiB");
  out = *bytes;
  return true;
}

// The text is exact for every size that a job file can contain.
Json WriteMemory(const int64_t& bytes) {
  if (bytes == 0) return Json();
  return bytes % 1024 != 0 && bytes % 1000 == 0 ? std::to_string(bytes / 1000) + "KB" : BytesToText(bytes);
}

bool ReadTimeSpan(Reader& r, const Node& n, Zero zero, Duration& out) {
  const auto text = r.Text(n, "a duration such as 30s");
  if (!text) return false;
  if (IsNegative(*text)) return r.Fail(n, Quoted(*text) + " is negative; write for example 30s");
  if (IsNumber(*text) && text->size() <= 9) {
    return r.Fail(n, Quoted(*text) + " has no unit; write " + *text + "s or " + *text + "m");
  }
  const auto span = ParseDuration(*text);
  if (!span)
    return r.Fail(
        n, "invalid duration " + Quoted(*text) + "; write a whole number with ms, s, m, h or d, for example 30s");
  if (*span == Duration::zero() && zero == Zero::kRefused)
    return r.Fail(n, "must be more than 0; write for example 30s");
  out = *span;
  return true;
}

bool ReadWholeNumber(Reader& r, const Node& n, int min, int max, int& out) {
  const auto text = r.Text(n, "a whole number");
  if (!text) return false;
  const std::string range = "write a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  if (IsNegative(*text)) return r.Fail(n, Quoted(*text) + " is negative; " + range);
  if (!IsNumber(*text)) return r.Fail(n, Quoted(*text) + " is not a whole number; " + range);
  const auto value = ParseNumber<int>(*text);
  if (!value || *value > max) return r.Fail(n, Quoted(*text) + " is too large; " + range);
  if (*value < min) return r.Fail(n, Quoted(*text) + " is too small; " + range);
  out = *value;
  return true;
}

}  // namespace

Json OrVariable(Json schema) {
  const Json title = schema["title"];
  schema.erase("title");
  return Json{{"title", title}, {"anyOf", {std::move(schema), {{"type", "string"}, {"pattern", "\\$\\{"}}}}};
}

ValueType<int> WholeNumber(int min, int max) {
  return {[min, max](Reader& r, const Node& n, int& out) { return ReadWholeNumber(r, n, min, max, out); },
          [](const int& value) { return Json(value); },
          [min, max] {
            const std::string title = "whole number, " + std::to_string(min) + " or more";
            return OrVariable({{"title", title}, {"type", "integer"}, {"minimum", min}, {"maximum", max}});
          }};
}

ValueType<double> Number(double least, double most) {
  const std::string range = "write a number from " + Json(least).dump() + " to " + Json(most).dump();
  return {[least, most, range](Reader& r, const Node& n, double& out) {
            const auto text = r.Text(n, "a number");
            if (!text) return false;
            const auto value = ParseNumber<double>(*text);
            if (!value) return r.Fail(n, Quoted(*text) + " is not a number; " + range);
            if (!(*value >= least && *value <= most)) return r.Fail(n, Quoted(*text) + " is out of range; " + range);
            out = *value;
            return true;
          },
          [](const double& value) { return Json(value); },
          [least, most] {
            return OrVariable({{"title", "number"}, {"type", "number"}, {"minimum", least}, {"maximum", most}});
          }};
}

ValueType<bool> TrueOrFalse() {
  return {[](Reader& r, const Node& n, bool& out) {
            const auto text = r.Text(n, "true or false");
            if (!text) return false;
            if (*text != "true" && *text != "false")
              return r.Fail(n, "invalid value " + Quoted(*text) + "; write true or false");
            out = *text == "true";
            return true;
          },
          [](const bool& value) { return Json(value); },
          [] {
            return OrVariable({{"title", "true or false"}, {"type", "boolean"}});
          }};
}

ValueType<int64_t> Memory() {
  return {&ReadMemory, &WriteMemory, [] {
            return OrVariable({{"title", "memory size"},
                               {"type", "string"},
                               {"pattern", "^[0-9]+( *[KMGTkmgt][Ii]?[Bb]| *[KMGTkmgt][Ii]|[kmgt])$"}});
          }};
}

ValueType<Duration> TimeSpan(Zero zero) {
  return {[zero](Reader& r, const Node& n, Duration& out) { return ReadTimeSpan(r, n, zero, out); },
          [](const Duration& span) { return Json(DurationToText(span)); },
          [] {
            return OrVariable({{"title", "duration"}, {"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}});
          }};
}

ValueType<Duration> TimeSpanOr0(Duration min, Duration max) {
  ValueType<Duration> type = TimeSpan(Zero::kAllowed);
  type.read = [min, max](Reader& r, const Node& n, Duration& out) {
    Duration span{};
    if (!ReadTimeSpan(r, n, Zero::kAllowed, span)) return false;
    if (span != Duration::zero() && (span < min || span > max)) {
      return r.Fail(n, "must be from " + DurationToText(min) + " to " + DurationToText(max) + ", or 0s, but is " +
                           DurationToText(span));
    }
    out = span;
    return true;
  };
  return type;
}

ValueType<std::string> CheckedText(std::string_view title, std::function<std::string(const std::string&)> fault) {
  return {[fault](Reader& r, const Node& n, std::string& out) {
            auto text = r.Text(n, "a string");
            if (!text) return false;
            std::string found = fault(*text);
            if (!found.empty()) return r.Fail(n, std::move(found));
            out = std::move(*text);
            return true;
          },
          [](const std::string& text) { return text.empty() ? Json() : Json(EscapeDollars(text)); },
          [title] {
            return Json{{"title", title}, {"type", {"string", "number", "boolean"}}};
          }};
}

ValueType<std::string> OptionalText() {
  return CheckedText("string", [](const std::string&) { return std::string(); });
}

ValueType<std::string> NonEmptyText(std::string_view title) {
  return CheckedText(title,
                     [](const std::string& text) { return text.empty() ? "is empty; remove it" : std::string(); });
}

ValueType<std::string> Script() {
  ValueType<std::string> type = NonEmptyText("command for bash");
  type.read = [](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a command for bash");
    if (!text) return false;
    if (text->find_first_not_of(" \t\r\n") == std::string::npos) return r.Fail(n, "is empty; write a command for bash");
    out = std::move(*text);
    return true;
  };
  return type;
}

ValueType<std::string> VariableName() {
  return CheckedText("variable name", [](const std::string& text) {
    return IsVariableName(text)
               ? ""
               : "invalid variable name " + Quoted(text) + "; use letters, digits and _, not starting with a digit";
  });
}

ValueType<std::string> Pattern() {
  return CheckedText("regular expression", [](const std::string& text) {
    const std::string fault = PatternFault(text);
    return fault.empty() ? "" : "invalid regular expression " + Quoted(text) + ": " + fault;
  });
}

ValueType<size_t> WordIndex(std::vector<std::string_view> words) {
  ValueType<size_t> type;
  type.read = [words](Reader& r, const Node& n, size_t& out) {
    const auto text = r.Text(n, "one of " + Joined(words));
    if (!text) return false;
    const auto found = std::find(words.begin(), words.end(), *text);
    if (found != words.end()) {
      out = static_cast<size_t>(found - words.begin());
      return true;
    }
    const std::string_view near = r.Suggest(*text, words);
    if (!near.empty())
      return r.Fail(n, "unknown value " + Quoted(*text) + "; did you mean '" + std::string(near) + "'?");
    return r.Fail(n, "unknown value " + Quoted(*text) + "; write one of " + Joined(words));
  };
  type.write = [words](const size_t& i) { return Json(words[i]); };
  type.schema = [words] {
    std::string title;
    for (const std::string_view word : words) title += (title.empty() ? "" : " ") + std::string(word);
    return OrVariable({{"title", title}, {"type", "string"}, {"enum", words}});
  };
  return type;
}

}  // namespace howdah::keyfile
