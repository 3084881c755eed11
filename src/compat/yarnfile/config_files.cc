#include "config_files.h"

#include <algorithm>

#include "howdah/keyfile/json_text.h"

namespace howdah::compat::yarnfile {
namespace {

constexpr size_t kMostText = size_t{1} << 20;

std::string EscapeXml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string JsonString(const std::string& text) { return keyfile::JsonText(keyfile::Json(text), -1); }

// As the ObjectMapper of Jackson writes a map with INDENT_OUTPUT.
std::string ToJsonText(const Pairs& properties) {
  if (properties.empty()) return "{ }";
  std::string text = "{";
  for (size_t i = 0; i < properties.size(); ++i) {
    text += (i == 0 ? "\n  " : ",\n  ") + JsonString(properties[i].first) + " : " + JsonString(properties[i].second);
  }
  return text + "\n}";
}

// Every value is a string, so it is quoted: YAML would read true and 8080 as other types.
std::string ToYamlText(const Pairs& properties) {
  std::string text;
  for (const auto& [name, value] : properties) text += JsonString(name) + ": " + JsonString(value) + "\n";
  return properties.empty() ? "{}\n" : text;
}

// The escapes of java.util.Properties.store. Bytes of UTF-8 are kept.
std::string EscapeProperty(const std::string& text, bool is_name) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      const bool special = c == '\\' || c == '=' || c == ':' || c == '#' || c == '!';
      if (special || (c == ' ' && (is_name || i == 0))) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string ToPropertiesText(const Pairs& properties) {
  std::string text;
  for (const auto& [name, value] : properties) {
    text += EscapeProperty(name, true) + "=" + EscapeProperty(value, false) + "\n";
  }
  return text;
}

// Returns the text with every `from` replaced. The work stops at the size that no command can have.
std::string Replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() <= kMostText;) {
    const size_t next = std::min(text.find(from, at), text.size());
    out.append(text, at, next - at);
    if (next < text.size()) out += to;
    at = next + from.size();
  }
  return out;
}

// The property "content", in which ${NAME} and {{NAME}} of the other properties are replaced
// (ConfigUtils.replaceProps).
std::string ToTemplateText(const Pairs& properties) {
  const std::string* content = Find(properties, kContent);
  std::string text = content == nullptr ? "" : *content;
  for (const auto& [name, value] : properties) {
    if (name == kContent) continue;
    text = Replaced(Replaced(text, "${" + name + "}", value), "{{" + name + "}}", value);
  }
  return text;
}

// One line NAME=VALUE per property, or a template.
std::string ToEnvText(const Pairs& properties) {
  if (Find(properties, kContent) != nullptr) return ToTemplateText(properties);
  std::string text;
  for (const auto& [name, value] : properties) text += name + "=" + value + "\n";
  return text;
}

}  // namespace

std::string HadoopProperties(const Pairs& properties) {
  std::string text;
  for (const auto& [name, value] : properties) {
    text += "<property><name>" + EscapeXml(name) + "</name><value>" + EscapeXml(value) + "</value></property>\n";
  }
  return text;
}

std::string ConfigText(ConfigType type, const Pairs& properties) {
  switch (type) {
    case ConfigType::kXml:
    case ConfigType::kHadoopXml:
      return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n" +
             HadoopProperties(properties) + "</configuration>\n";
    case ConfigType::kProperties:
      return ToPropertiesText(properties);
    case ConfigType::kJson:
      return ToJsonText(properties);
    case ConfigType::kYaml:
      return ToYamlText(properties);
    case ConfigType::kEnv:
      return ToEnvText(properties);
    default:
      return ToTemplateText(properties);
  }
}

}  // namespace howdah::compat::yarnfile
