#include <algorithm>

#include "howdah/jobspec/job_file.h"
#include "howdah/keyfile/json_text.h"
#include "key_table.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

// Whether YAML reads the text back without quotes, in any position.
bool IsPlain(std::string_view text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return false;
  const auto harmless = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/' || c == '-' || c == '+' || c == '=' || c == '$';
  };
  const bool starts_well = harmless(text.front()) && text.front() != '-' && text.front() != '=';
  return starts_well && text != "." && std::all_of(text.begin(), text.end(), harmless);
}

// Whether YAML reads the text back as a block scalar.
bool IsBlock(std::string_view text) {
  const bool ends_once = text.size() > 1 && text.back() == '\n' && text[text.size() - 2] != '\n';
  if (!ends_once || text.front() == ' ' || text.front() == '\n' || text.find("\n\n ") != text.npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 0x7F); });
}

std::string ScalarText(const Json& value) {
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : JsonText(value, -1);
}

bool IsScalar(const Json& value) { return !value.is_structured(); }

// Formats a value that fits on one line in YAML's flow style: {a: b} or [a, b].
std::string FlowText(const Json& value) {
  if (IsScalar(value)) return ScalarText(value);
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += ScalarText(Json(key)) + ": ";
    text += FlowText(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

bool FitsIntoLine(const Json& value, size_t indent) {
  constexpr size_t kWidth = 100;
  if (!std::all_of(value.begin(), value.end(), IsScalar)) return false;
  if (value.is_object() && value.size() > 5) return false;
  return indent + FlowText(value).size() <= kWidth;
}

void AppendBlock(const std::string& text, size_t indent, std::string* out) {
  *out += " |\n";
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end != at) *out += std::string(indent, ' ') + text.substr(at, end - at);
    *out += '\n';
    at = end + 1;
  }
}

void AppendMap(const Json& map, size_t indent, std::string* out) {
  for (const auto& [key, value] : map.items()) {
    *out += std::string(indent, ' ') + ScalarText(Json(key)) + ":";
    if (value.is_string() && IsBlock(value.get_ref<const std::string&>())) {
      AppendBlock(value.get_ref<const std::string&>(), indent + 2, out);
    } else if (IsScalar(value) || FitsIntoLine(value, indent + key.size())) {
      *out += " " + FlowText(value) + "\n";
    } else if (value.is_object()) {
      *out += "\n";
      AppendMap(value, indent + 2, out);
    } else {
      *out += "\n";
      for (const Json& item : value) *out += std::string(indent + 2, ' ') + "- " + FlowText(item) + "\n";
    }
  }
}

}  // namespace

std::string DescribeEffective(const JobSpec& spec) {
  std::string out;
  AppendMap(WriteSection(JobKeys(), spec), 0, &out);
  return out;
}

}  // namespace howdah::jobspec
