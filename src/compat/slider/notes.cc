// Reports keys without effect, and unknown keys.
#include <algorithm>

#include "context.h"
#include "howdah/compat/slider/keys.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::compat::slider {
namespace {

using common::Effect;
using common::Key;

constexpr size_t kResourcesPart = 0, kTensorflowPart = 2, kAppConfigPart = 3;
constexpr char kImage[] = "site.global.docker.image";

// Returns the row with this name, or nullptr. `parts`: positions in the table.
const Key* RowOf(const std::vector<size_t>& parts, const std::string& name) {
  for (const size_t part : parts) {
    for (const Key& key : Keys().parts()[part].keys) {
      if (key.name == name) return &key;
    }
  }
  return nullptr;
}

std::string UnknownKey(const std::vector<size_t>& parts, const std::string& name) {
  std::vector<std::string_view> names;
  for (const size_t part : parts) {
    for (const Key& key : Keys().parts()[part].keys) names.push_back(key.name);
  }
  const std::string near(keyfile::Nearest(name, names));
  return "unknown key" + (near.empty() ? "; docs/slider.md lists the keys" : "; did you mean '" + near + "'?");
}

// The row of an option with a free name, or "" for an unknown option.
std::string FreeRow(const std::string& name) {
  if (name.starts_with("site.global.")) return "site.global.<name>";
  if (name.starts_with("site.")) return "site.<dictionary>.<name>";
  if (name.starts_with("env.") && name.size() > 4) return "env.<name>";
  if (name.starts_with("internal.")) return "internal.<key>";
  if (name.starts_with("application.addon.")) return "application.addon.<name>";
  if (name.ends_with(".statusCommand")) return "<container>.statusCommand";
  return "";
}

void NoteKey(Context& context, const std::string& name, const std::string& file, const std::string& row) {
  for (const common::Part& part : Keys().parts()) {
    for (const Key& key : part.keys) {
      if (key.name == row && key.effect == Effect::kNone) Note(context, name, file, std::string(key.effect_text));
    }
  }
}

void NoteResources(Context& context) {
  const ConfTree& tree = context.application.resources;
  const auto note = [&](const std::string& component, const std::vector<Option>& options) {
    for (const Option& option : options) {
      const Key* row = RowOf({kResourcesPart}, option.name);
      if (row == nullptr) {
        context.values.Fail(option.place, UnknownKey({kResourcesPart}, option.name));
      } else if (component == kMaster) {
        const bool honoured = option.name == "yarn.memory" || option.name == "yarn.vcores";
        const bool instances = option.name == "yarn.component.instances" && option.value == "1";
        if (!honoured && !instances)
          NoteKey(context, component + "." + option.name, tree.place.file, "slider-appmaster.<key>");
      } else if (row->effect == Effect::kNone) {
        NoteKey(context, option.name, tree.place.file, option.name);
      } else if (context.tensorboard && component == "tensorboard" && option.name != "yarn.component.instances" &&
                 option.name != "yarn.role.priority") {
        Note(context, component + "." + option.name, tree.place.file, "Howdah runs the TensorBoard of a job by itself");
      }
    }
  };
  note("", tree.global);
  for (const ComponentOptions& component : tree.components) note(component.name, component.options);
}

void NoteAppConfig(Context& context, const std::vector<Option>& options, const std::string& component) {
  const std::vector<size_t> parts = {kTensorflowPart, kAppConfigPart};
  const std::string& file = context.application.app_config.place.file;
  for (const Option& option : options) {
    const std::string row = RowOf(parts, option.name) != nullptr ? option.name : FreeRow(option.name);
    if (row.empty()) {
      context.values.Fail(option.place, UnknownKey(parts, option.name));
      continue;
    }
    NoteKey(context, option.name, file, row);
    const Value value = Replaced(option.value, {context.application.user, context.application.name, component});
    const bool used = context.used.count(option.name) > 0;
    if (option.name == kImage && !context.application.docker) {
      Note(context, option.name, file, "the flag --docker is not given");
    } else if (row == "site.<dictionary>.<name>" && !used) {
      Note(context, option.name, file, "no command uses it, and Howdah writes no configuration files");
    } else if (row == "site.global.<name>" && !used && !value.unknown.empty()) {
      Note(context, option.name, file, "only Slider's agent replaces " + value.unknown);
    }
  }
}

}  // namespace

void Note(Context& context, const std::string& key, const std::string& file, std::string text) {
  if (context.noted.insert(key + "\n" + text).second) context.result.notes.push_back({key, file, std::move(text)});
}

void NoteKeys(Context& context) {
  NoteResources(context);
  NoteAppConfig(context, context.application.app_config.global, "");
  for (const ComponentOptions& component : context.application.app_config.components) {
    NoteAppConfig(context, component.options, component.name);
  }
  if (!context.application.metainfo) return;
  const Metainfo& metainfo = *context.application.metainfo;
  for (const std::string& key : metainfo.without_effect) NoteKey(context, key, metainfo.place.file, key);
  for (const MetaComponent& component : metainfo.components) {
    for (const MetaCommand& command : component.commands) {
      if (command.name == "START") continue;
      Note(context, "application.components.commands." + command.name, metainfo.place.file,
           "Howdah stops tasks with a signal");
    }
  }
  for (const std::string& group : metainfo.export_groups) {
    const bool role = std::any_of(metainfo.components.begin(), metainfo.components.end(),
                                  [&](const MetaComponent& component) { return component.name == group; });
    if (!role) {
      Note(context, "application.exportGroups." + group, metainfo.place.file,
           "the addresses are published in groups with the names of the components");
    }
  }
}

}  // namespace howdah::compat::slider
