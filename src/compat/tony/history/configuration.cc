#include "howdah/compat/tony/history/configuration.h"

#include <algorithm>
#include <optional>
#include <pugixml.hpp>
#include <unordered_map>

#include "howdah/base/bytes.h"
#include "howdah/base/number.h"

namespace howdah::compat::tony::history {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

// Rounds up, because TonY's tools use whole MiB.
std::string MemoryText(int64_t bytes) { return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + "m"; }

std::string CommandText(const jobspec::Command& command) {
  std::string text = command.shell;
  for (const std::string& word : command.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string RolesOfKind(const jobspec::JobSpec& spec, jobspec::RoleKind kind) {
  std::vector<std::string> names;
  for (const jobspec::RoleSpec& role : spec.roles) {
    if (role.kind == kind) names.push_back(role.name);
  }
  return Joined(names);
}

std::vector<Setting> InTonysKeys(const jobspec::JobSpec& spec) {
  std::vector<Setting> settings;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) settings.push_back({name, value, "job file", false});
  };
  add("tony.application.name", spec.name);
  add("tony.application.framework", std::string(jobspec::ToText(spec.framework)));
  add("tony.application.tags", Joined(spec.tags));
  add("tony.yarn.queue", spec.queue);
  add("tony.application.untracked.jobtypes", RolesOfKind(spec, jobspec::RoleKind::kService));
  add("tony.application.sidecar.jobtypes", RolesOfKind(spec, jobspec::RoleKind::kSidecar));
  for (const jobspec::RoleSpec& role : spec.roles) {
    const std::string prefix = "tony." + role.name + ".";
    add(prefix + "instances", std::to_string(role.instances.min));
    add(prefix + "memory", MemoryText(role.memory_bytes));
    add(prefix + "vcores", std::to_string(role.vcores));
    add(prefix + "gpus", std::to_string(role.gpus));
    add(prefix + "command", CommandText(role.command));
  }
  return settings;
}

// A count as TonY reads it. nullopt for anything else, and for amounts that no job has.
std::optional<int> CountOf(const std::string& text) {
  constexpr int kMost = 1'000'000;
  const auto count = ParseNumber<int>(text);
  return count && *count >= 0 && *count <= kMost ? count : std::nullopt;
}

// TonY's Utils.parseMemoryString: a number without a unit is in MiB.
std::optional<int64_t> MemoryOf(const std::string& text) {
  if (const auto mebibytes = CountOf(text)) return *mebibytes * kMebibyte;
  return ParseBytes(text);
}

// "worker" for "tony.worker.instances"; "" for any other setting.
std::string RoleOf(const std::string& setting) {
  constexpr std::string_view kPrefix = "tony.", kEnding = ".instances";
  if (!setting.starts_with(kPrefix) || !setting.ends_with(kEnding)) return "";
  if (setting.size() <= kPrefix.size() + kEnding.size()) return "";
  const std::string role = setting.substr(kPrefix.size(), setting.size() - kPrefix.size() - kEnding.size());
  return role.find('.') == std::string::npos ? role : "";
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Replaces characters that XML 1.0 does not allow, not even escaped.
std::string Representable(const std::string& text) {
  std::string representable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    representable += byte < ' ' && c != '\t' && c != '\n' && c != '\r' ? ' ' : c;
  }
  return representable;
}

class TextWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, size_t size) override { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

}  // namespace

std::vector<Setting> SettingsOf(const jobspec::JobSpec& spec, const journal::JobView& submitted) {
  std::vector<Setting> settings;
  for (const jobspec::Configured& value : spec.configuration) {
    settings.push_back({value.name, value.value, value.source, false});
  }
  if (settings.empty()) settings = InTonysKeys(spec);
  settings.push_back({kJobIdSetting, submitted.id, "howdah", false});
  settings.push_back({kUserSetting, submitted.user, "howdah", false});
  settings.push_back({kBackendSetting, submitted.on, "howdah", false});
  return settings;
}

jobspec::JobSpec SpecOf(const std::vector<Setting>& settings) {
  // The defaults of TonY 0.5.3 (TonyConfigurationKeys).
  constexpr int64_t kUsualMemory = 2048 * kMebibyte;
  jobspec::JobSpec spec;
  spec.name = ValueOf(settings, "tony.application.name");
  spec.framework =
      jobspec::FrameworkFromText(ValueOf(settings, "tony.application.framework")).value_or(jobspec::Framework::kPlain);
  spec.queue = ValueOf(settings, "tony.yarn.queue");
  spec.tags = SplitAtCommas(ValueOf(settings, "tony.application.tags"));
  for (const Setting& setting : settings) {
    const std::string name = RoleOf(setting.name);
    const auto instances = CountOf(setting.value);
    if (name.empty() || instances.value_or(0) == 0) continue;
    const auto value = [&](const char* key) { return ValueOf(settings, "tony." + name + "." + key); };
    const std::string memory = value("memory");
    jobspec::RoleSpec& role = spec.roles.emplace_back();
    role.name = name;
    role.instances = {*instances, *instances};
    role.memory_bytes = memory.empty() ? kUsualMemory : MemoryOf(memory).value_or(0);
    role.vcores = CountOf(value("vcores")).value_or(1);
    role.gpus = CountOf(value("gpus")).value_or(0);
    const std::string command = value("command");
    role.command.shell = command.empty() ? ValueOf(settings, "tony.containers.command") : command;
  }
  return spec;
}

std::string WriteConfiguration(const std::vector<Setting>& settings) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("configuration");
  for (const Setting& setting : settings) {
    pugi::xml_node property = root.append_child("property");
    property.append_child("name").text().set(Representable(setting.name).c_str());
    property.append_child("value").text().set(Representable(setting.value).c_str());
    property.append_child("final").text().set(setting.is_final ? "true" : "false");
    if (!setting.source.empty()) property.append_child("source").text().set(Representable(setting.source).c_str());
  }
  TextWriter text;
  document.save(text, "", pugi::format_raw, pugi::encoding_utf8);
  return text.text + "\n";
}

Result<std::vector<Setting>> ReadConfiguration(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_ws_pcdata_single);
  if (!parsed) {
    const auto end = xml.begin() + std::clamp<ptrdiff_t>(parsed.offset, 0, static_cast<ptrdiff_t>(xml.size()));
    return Failed("line " + std::to_string(1 + std::count(xml.begin(), end, '\n')) + ": " + parsed.description());
  }
  std::vector<Setting> settings;
  std::unordered_map<std::string, size_t> newest;  // the last property of a name is in effect
  for (const pugi::xml_node& property : document.document_element().children("property")) {
    if (!property.child("name") || !property.child("value")) continue;
    Setting setting{property.child_value("name"), property.child_value("value"), property.child_value("source"),
                    std::string_view(property.child_value("final")) == "true"};
    newest[setting.name] = settings.size();
    settings.push_back(std::move(setting));
  }
  std::vector<Setting> effective;
  for (size_t i = 0; i < settings.size(); ++i) {
    if (newest[settings[i].name] == i) effective.push_back(std::move(settings[i]));
  }
  return effective;
}

std::string ValueOf(const std::vector<Setting>& settings, std::string_view name) {
  for (const Setting& setting : settings) {
    if (setting.name == name) return setting.value;
  }
  return "";
}

}  // namespace howdah::compat::tony::history
