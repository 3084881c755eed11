// Notes about keys without effect, and the configuration for TonY's history.
#include <algorithm>
#include <map>

#include "howdah/compat/tony/config/keys.h"
#include "howdah/keyfile/nearest.h"
#include "translator.h"

namespace howdah::compat::tony::config {
namespace {

// The part of the name that matches <job>. Returns "" if the pattern has no <job>.
std::string JobIn(std::string_view pattern, const std::string& name) {
  const size_t open = pattern.find("<job>");
  if (open == pattern.npos) return "";
  const size_t rest = pattern.size() - open - std::string_view("<job>").size();
  if (pattern.find('<', open + 1) != pattern.npos) return "";
  return name.substr(open, name.size() - open - rest);
}

std::string Joined(const std::vector<Pair>& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) {
    text += text.empty() ? "" : ",";
    text += name;
    text += "=";
    text += value;
  }
  return text;
}

}  // namespace

void Translator::Note(const std::string& key, std::string text) {
  const hadoop::conf::Property* property = values_.configuration().Find(key);
  result_.notes.push_back({key, property == nullptr ? "" : property->origin, std::move(text)});
}

void Translator::NoteKeys() {
  for (const auto& [name, property] : values_.configuration().properties()) NoteKey(name, property);
}

void Translator::NoteKey(const std::string& name, const hadoop::conf::Property& property) {
  if (property.raw.empty()) return;
  if (!name.starts_with("tony.")) {
    Note(name, "not a key of TonY");
    return;
  }
  const common::Key* key = Keys().Find(name);
  if (key == nullptr) {
    const std::string near = Keys().Nearest(name, "<job>", types_);
    Note(name, "TonY has no such key" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    return;
  }
  if (key->effect == common::Effect::kNone) {
    Note(name, std::string(key->effect_text));
    return;
  }
  const std::string total = "tony.task.max-total-";
  if (name.starts_with(total)) {
    const std::string what = name.substr(total.size());
    if (!Has({"instances", "memory", "vcores", "gpus"}, what)) Note(name, "tasks never request " + what);
    return;
  }
  const std::string job = JobIn(key->name, name);
  const bool known = job.empty() || IsJobType(job) || job == "driver" || job == "am";
  if (known || name.ends_with(".instances")) return;
  const std::vector<std::string_view> types(types_.begin(), types_.end());
  const std::string_view near = keyfile::Nearest(job, types);
  Note(name, "unknown role " + job + " (tony." + job + ".instances is not set or 0)" +
                 (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
}

void Translator::KeepHistory() {
  const std::string location = values_.Text("tony.history.location");
  if (location.empty()) return;
  result_.job.tony_history = Absolute(location, facts_.directory);
  std::map<std::string, jobspec::Configured> all;
  for (const common::Part& part : Keys().parts()) {
    for (const common::Key& key : part.keys) {
      const std::string name(key.name);
      if (key.default_value.empty() || name.find('<') != name.npos) continue;
      all[name] = {name, std::string(key.default_value), "tony-default.xml"};
    }
  }
  for (const auto& [name, property] : values_.configuration().properties()) {
    all[name] = {name, values_.Text(name), property.origin};
  }
  const auto append = [&](const std::string& name, const std::vector<Pair>& pairs, const char* flag) {
    if (pairs.empty()) return;
    jobspec::Configured& configured = all[name];
    configured.name = name;
    configured.value += (configured.value.empty() ? "" : ",") + Joined(pairs);
    configured.source = flag;
  };
  append("tony.containers.envs", flags_.container_env, "-container_env");
  append("tony.execution.envs", flags_.shell_env, "-shell_env");
  for (auto& [name, configured] : all) result_.job.configuration.push_back(std::move(configured));
}

}  // namespace howdah::compat::tony::config
