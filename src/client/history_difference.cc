#include "howdah/client/history_difference.h"

#include <map>
#include <nlohmann/json.hpp>

#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/json_depth.h"
#include "howdah/client/secrets.h"

namespace howdah::client {
namespace {

using Json = nlohmann::ordered_json;
using compat::tony::history::Setting;

void Flatten(const Json& json, const std::string& name, std::vector<Setting>& settings) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items()) Flatten(value, name.empty() ? key : name + "." + key, settings);
  } else if (json.is_array() && !json.empty()) {
    for (size_t i = 0; i < json.size(); ++i) Flatten(json[i], name + "[" + std::to_string(i) + "]", settings);
  } else {
    settings.push_back({name, json.is_string() ? json.get<std::string>() : json.dump(), "", false});
  }
}

// Whether the setting is a variable of `env`, as in env.NAME and roles.worker.env.NAME.
bool IsVariable(const std::string& name) { return name.starts_with("env.") || name.find(".env.") != name.npos; }

std::string TextOf(Instant begin, std::optional<Instant> end) { return end ? FormatDuration(*end - begin) : ""; }

}  // namespace

Result<std::vector<Setting>> SettingsOfJobFile(std::string_view text) {
  constexpr int kMostNesting = 100;  // a valid job file is nested less than 10 deep
  if (NestsDeeper(text, kMostNesting)) {
    return Failed("the stored job file is nested more than " + std::to_string(kMostNesting) + " deep");
  }
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Failed("the stored job file is not a JSON object");
  std::vector<Setting> settings;
  Flatten(json, "", settings);
  for (Setting& setting : settings) {
    if (IsVariable(setting.name) && LooksSecret(setting.name)) setting.value = kHidden;
  }
  return settings;
}

std::vector<Setting> OutcomeOf(const journal::JobView& view) {
  std::vector<Setting> outcome;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) outcome.push_back({name, value, "", false});
  };
  add("name", view.name);
  add("user", view.user);
  add("framework", view.framework);
  add("state", std::string(core::ToText(view.state)));
  if (view.exit_code) add("exit_code", std::to_string(*view.exit_code));
  add("reason", view.reason);
  if (view.started) add("duration", TextOf(*view.started, view.finished));
  add("tasks", std::to_string(view.tasks.size()));
  for (const journal::TaskView& task : view.tasks) {
    const std::string name = TaskText(task.role, task.index);
    add(name + " state", std::string(core::ToText(task.state)));
    if (task.exit) add(name + " ended with", howdah::ToText(*task.exit));
    if (task.attempt > 0) add(name + " attempts", std::to_string(task.attempt + 1));
    if (task.usage.memory_peak_bytes > 0) add(name + " peak memory", std::to_string(task.usage.memory_peak_bytes));
  }
  return outcome;
}

std::vector<Difference> Differences(const std::vector<Setting>& before, const std::vector<Setting>& after) {
  std::map<std::string, Difference> all;
  for (const Setting& setting : before) all[setting.name].before = setting.value;
  for (const Setting& setting : after) all[setting.name].after = setting.value;
  std::vector<Difference> differences;
  for (auto& [name, difference] : all) {
    if (difference.before == difference.after) continue;
    difference.name = name;
    differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace howdah::client
