#include "parameter_value.h"

#include <cmath>

#include "header_list.h"
#include "howdah/base/number.h"

namespace howdah::web {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min(), kHighest = std::numeric_limits<int64_t>::max();

std::string RangeText(const Parameter& parameter) {
  if (parameter.min == kLowest && parameter.max == kHighest) return "";
  if (parameter.max == kHighest) return ", at least " + std::to_string(parameter.min);
  if (parameter.min == kLowest) return ", at most " + std::to_string(parameter.max);
  return " from " + std::to_string(parameter.min) + " to " + std::to_string(parameter.max);
}

std::optional<Arguments::Value> TimeOf(const std::string& text) {
  if (const auto instant = ParseInstant(text)) return *instant;
  constexpr int64_t kMost = kHighest / 1000;
  const auto milliseconds = ParseNumber<int64_t>(text);
  if (!milliseconds || *milliseconds < 0 || *milliseconds > kMost) return std::nullopt;
  return Instant(std::chrono::milliseconds(*milliseconds));
}

std::optional<Arguments::Value> FlagOf(const std::string& text) {
  if (text.empty() || text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return std::nullopt;
}

std::optional<Arguments::Value> OneValue(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case ValueType::kText:
      return text;
    case ValueType::kInteger: {
      const auto integer = ParseNumber<int64_t>(text);
      if (!integer || *integer < parameter.min || *integer > parameter.max) return std::nullopt;
      return *integer;
    }
    case ValueType::kNumber: {
      const auto number = ParseNumber<double>(text);
      if (!number || !std::isfinite(*number)) return std::nullopt;
      return *number;
    }
    case ValueType::kFlag:
      return FlagOf(text);
    case ValueType::kDuration: {
      const auto duration = ParseDuration(text);
      if (!duration) return std::nullopt;
      return *duration;
    }
    case ValueType::kTime:
      return TimeOf(text);
    case ValueType::kChoice:
      for (const std::string& choice : parameter.choices) {
        if (choice == text) return text;
      }
      return std::nullopt;
    case ValueType::kTexts:
      break;
  }
  return std::nullopt;
}

std::vector<std::string> Elements(const std::vector<std::string>& texts) {
  std::vector<std::string> elements;
  for (const std::string& text : texts) {
    AnyElement(text, ',', [&](std::string_view element) {
      if (!element.empty()) elements.emplace_back(element);
      return false;
    });
  }
  return elements;
}

}  // namespace

Result<Arguments::Value> ParseValue(const Parameter& parameter, const std::vector<std::string>& texts) {
  const std::string name = "'" + parameter.name + "'";
  const auto invalid = [](std::string what, std::string remedy) {
    return Error::WithRemedy(ErrorCode::kUsage, what, std::move(remedy));
  };
  for (const std::string& text : texts) {
    if (text.size() <= parameter.max_bytes) continue;
    return invalid("the parameter " + name + " is longer than " + std::to_string(parameter.max_bytes) + " bytes",
                   "send a shorter text");
  }
  if (parameter.type == ValueType::kTexts) return Arguments::Value(Elements(texts));
  if (texts.size() > 1) return invalid("the parameter " + name + " was sent more than once", "send it once");
  auto value = OneValue(parameter, texts.front());
  if (value) return std::move(*value);
  return invalid("invalid value '" + OneLine(texts.front(), 100) + "' of the parameter " + name,
                 "write " + DescribeType(parameter));
}

JsonValue SchemaOf(const Parameter& parameter) {
  switch (parameter.type) {
    case ValueType::kText:
      return {{"type", "string"}};
    case ValueType::kInteger: {
      JsonValue schema = {{"type", "integer"}};
      if (parameter.min != kLowest) schema["minimum"] = parameter.min;
      if (parameter.max != kHighest) schema["maximum"] = parameter.max;
      return schema;
    }
    case ValueType::kNumber:
      return {{"type", "number"}};
    case ValueType::kFlag:
      return {{"type", "string"}, {"enum", {"", "0", "1", "false", "true"}}};
    case ValueType::kDuration:
      return {{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}};
    case ValueType::kTime:
      return {{"type", "string"}};
    case ValueType::kChoice:
      return {{"type", "string"}, {"enum", parameter.choices}};
    case ValueType::kTexts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
  }
  return {};
}

std::string DescribeType(const Parameter& parameter) {
  switch (parameter.type) {
    case ValueType::kText:
      return "text";
    case ValueType::kInteger:
      return "an integer" + RangeText(parameter);
    case ValueType::kNumber:
      return "a number";
    case ValueType::kFlag:
      return "1 or 0";
    case ValueType::kDuration:
      return "a duration such as 10s, 5m, 2h or 30d";
    case ValueType::kTime:
      return "a time such as 2026-11-21T06:45:12.301Z, or milliseconds since 1970";
    case ValueType::kChoice:
      return "one of " + Join(parameter.choices);
    case ValueType::kTexts:
      return "texts separated by commas";
  }
  return "";
}

}  // namespace howdah::web
