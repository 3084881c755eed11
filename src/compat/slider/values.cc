#include "values.h"

#include <algorithm>

#include "howdah/base/number.h"

namespace howdah::compat::slider {
namespace {

constexpr std::string_view kAllocated = ".ALLOCATED_PORT";
// The directory in which Slider's agent installs a package, and in which commands start.
constexpr std::string_view kInstalled = "/app/install";

// Collects the forms of a value.
class Builder {
 public:
  void Literal(std::string_view text) {
    value_.literal += text;
    value_.shell += text;
    for (const char c : text) {
      if (c == '\\' || c == '"' || c == '$' || c == '`') value_.quoted += '\\';
      value_.quoted += c;
    }
  }
  void Variable(std::string_view text) {
    value_.of_task = true;
    value_.shell += text;
    value_.quoted += text;
  }
  Value& value() { return value_; }

 private:
  Value value_;
};

// Skips "{DEFAULT_8080}" and "{PER_CONTAINER}" behind ${X.ALLOCATED_PORT}.
size_t SkipPortFlags(const std::string& text, size_t at) {
  for (const std::string_view flag : {"{DEFAULT_", "{PER_CONTAINER"}) {
    if (text.compare(at, flag.size(), flag) != 0) continue;
    const size_t close = text.find('}', at);
    if (close != text.npos) at = close + 1;
  }
  return at;
}

// Whether the token is a name that is known at submission; then adds it.
bool AddName(const std::string& token, const Names& names, Builder& builder) {
  if (token == "USER" || token == "USER_NAME") return builder.Literal(names.user), true;
  if (token == "CLUSTER" || token == "CLUSTER_NAME") return builder.Literal(names.application), true;
  if (token == "COMPONENT_NAME") return builder.Literal(names.component), true;
  return false;
}

}  // namespace

int64_t Values::Number(const std::vector<Option>& options, const std::string& name, int64_t fallback, int64_t least,
                       int64_t most) {
  const Option* option = FindOption(options, name);
  if (option == nullptr) return fallback;
  const auto number = ParseNumber<int64_t>(option->value);
  if (number && *number >= least && *number <= most) return *number;
  Fail(option->place, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                          ", but is '" + option->value + "'");
  return fallback;
}

Value Replaced(const std::string& text, const Names& names) {
  Builder builder;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find("${", at);
    const size_t close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) break;
    builder.Literal(std::string_view(text).substr(at, open - at));
    const std::string token = text.substr(open + 2, close - open - 2);
    at = close + 1;
    if (AddName(token, names, builder)) continue;
    if (token == "AGENT_WORK_ROOT" || token == "AGENT_LOG_ROOT") {
      if (text.compare(at, kInstalled.size(), kInstalled) == 0) at += kInstalled.size();
      builder.Variable("$PWD");
    } else if (token == "THIS_HOST") {
      builder.Variable("$(hostname -f)");
    } else if (token.ends_with(kAllocated)) {
      at = SkipPortFlags(text, at);
      const std::string component = token.substr(0, token.size() - kAllocated.size());
      if (component == names.component) {
        builder.Variable("$HOWDAH_PORT");
      } else {
        builder.value().foreign = component;
      }
    } else {
      builder.Variable("${" + token + "}");
      if (builder.value().unknown.empty()) builder.value().unknown = "${" + token + "}";
    }
  }
  builder.Literal(std::string_view(text).substr(at));
  Value value = std::move(builder.value());
  value.quoted = "\"" + value.quoted + "\"";
  return value;
}

std::string ComponentOfPort(const std::string& text) {
  const size_t end = text.find(kAllocated);
  const size_t open = end == text.npos ? text.npos : text.rfind("${", end);
  return open == text.npos ? "" : text.substr(open + 2, end - open - 2);
}

std::string ShellWord(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,@%+").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace howdah::compat::slider
