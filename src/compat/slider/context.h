// The parts of the translation, and their common state. Each .cc file has one part:
//   resources.cc    components of resources.json as roles
//   tensorflow.cc   the TensorFlow package
//   components.cc   components with commands or docker containers, and the files of the package
//   environment.cc  appConfig.json as environment variables
//   notes.cc        keys without effect, and unknown keys
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/compat/slider/translate.h"
#include "values.h"

namespace howdah::compat::slider {

inline constexpr char kMaster[] = "slider-appmaster";
inline constexpr char kSite[] = "site.global.";

// A component of resources.json with its options, those of the section `global` included.
struct Part {
  std::string name;
  Place place;
  std::vector<Option> options;
  const MetaComponent* meta = nullptr;  // nullptr without a metainfo.json
  int priority = 0;
  int instances = 0;
};

// The state that the parts of the translation share.
struct Context {
  Context(const Application& from, const std::function<std::optional<Largest>()>& size)
      : application(from), largest(size), values(result.problems) {}

  const Application& application;
  const std::function<std::optional<Largest>()>& largest;
  common::Translation result;
  Values values;
  std::vector<Part> parts;                // set by FindParts, in the order of their priorities
  std::string directory;                  // set by AddSource: the directory of the files within a zipped package
  bool tensorboard = false;               // set by AddTensorflow: the package has its component `tensorboard`
  std::optional<jobspec::Docker> shared;  // the keys of docker that the containers of all components have
  std::set<std::string> used;             // options of appConfig.json in commands: "site.cl-site.pattern"
  std::set<std::string> noted;            // the notes, to report each only once
};

void FindParts(Context& context);
jobspec::RoleSpec RoleOf(Context& context, const Part& part);
// Makes the components of --max elastic. Call it after all roles were added.
void ApplyMaxima(Context& context);
// Reads the options of the application master.
void SetMaster(Context& context);
bool HasRole(const Context& context, const std::string& name);

bool IsTensorflow(const Context& context);
void AddTensorflow(Context& context);

void AddSource(Context& context);
void AddComponents(Context& context);

void AddEnvironment(Context& context);
// Returns the beginning of the role's command: the variables that are only known in the task, and `cd`.
std::string Start(Context& context, const std::string& role);
// Replaces ${...} and {$conf:...} in a command of a component.
std::string Filled(Context& context, const std::string& exec, const Part& part);

void Note(Context& context, const std::string& key, const std::string& file, std::string text);
void NoteKeys(Context& context);

}  // namespace howdah::compat::slider
