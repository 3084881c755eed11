// The translation. Each .cc file has one part of it:
//   resources.cc   components of resources.json as roles
//   tensorflow.cc  the TensorFlow package
//   components.cc  components with commands or docker containers
//   environment.cc appConfig.json as environment variables
//   notes.cc       keys without effect, and unknown keys
#pragma once

#include <functional>
#include <map>
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
  const MetaComponent* meta = nullptr;  // nullptr: the TensorFlow package, or not found
  int priority = 0;
  int instances = 0;
};

class Translator {
 public:
  Translator(const Application& application, const std::function<std::optional<Largest>()>& largest)
      : application_(application), largest_(largest), values_(result_.problems) {}

  common::Translation Run();

 private:
  // --- resources.cc
  void FindParts();
  void CheckCount(const Part& part);
  void OrderParts();
  void ApplyMaxima();
  jobspec::RoleSpec RoleOf(const Part& part);
  void SetRestart(const Part& part, jobspec::RoleSpec& role);
  void SetPlacement(const Part& part, jobspec::RoleSpec& role);
  void SetMaster();
  int64_t Amount(const Part& part, const std::string& name, int64_t fallback, int64_t Largest::*memory,
                 int Largest::*vcores);

  // --- tensorflow.cc
  void AddTensorflow();
  std::string TensorflowCommand(const std::string& role, const std::string& entry);
  std::string CheckpointDirectory();
  const Option* Required(const std::string& name, const std::string& example);
  bool HasRole(const std::string& name) const;

  // --- components.cc
  void AddComponents();
  jobspec::Command CommandOf(const Part& part);
  void SetDocker(const Part& part, jobspec::RoleSpec& role);
  void ShareDocker(const DockerPart& docker, const Place& place);
  void OrderStarts();
  void AddSource();

  // --- environment.cc
  void AddEnvironment();
  // Returns the beginning of the role's command: the variables that are only known in the task, and `cd`.
  std::string Start(const std::string& role);
  void AddVariable(const std::string& role, const Option& option, jobspec::EnvVars& env);
  void CheckPorts(const std::string& role);
  std::vector<Option> OptionsOf(const std::string& role) const;
  std::string Filled(const std::string& exec, const Part& part);
  std::string FillOne(const std::string& name, const Part& part, const std::vector<Option>& options);

  // --- notes.cc
  void NoteKeys();
  void NoteResources();
  void NoteAppConfig(const std::vector<Option>& options, const std::string& component);
  void Note(const std::string& key, const std::string& file, std::string text);
  void NoteKey(const std::string& name, const std::string& file, const std::string& row);

  bool IsTensorflow() const;

  const Application& application_;
  const std::function<std::optional<Largest>()>& largest_;
  common::Translation result_;
  Values values_;
  std::vector<Part> parts_;
  std::string directory_;                  // in a zipped package, the directory of its files; otherwise empty
  bool tensorboard_ = false;               // the TensorFlow package has its component `tensorboard`
  std::optional<jobspec::Docker> shared_;  // the keys of docker that the containers of all components have
  std::set<std::string> used_;             // options of appConfig.json in commands: "site.cl-site.pattern"
  std::set<std::string> noted_;
};

}  // namespace howdah::compat::slider
