// The translation. Each .cc file has one part of it:
//   roles.cc      job types, their kinds, the effect of failures, commands
//   order.cc      stages, preprocessing, time-outs of groups
//   resources.cc  files, source, venv, docker
//   limits.cc     time-outs and maximum sizes
//   notes.cc      keys without effect; the configuration for TonY's history
#pragma once

#include <string>
#include <vector>

#include "howdah/compat/tony/config/translate.h"
#include "values.h"

namespace howdah::compat::tony::config {

// The role for the command that TonY's AM runs before it schedules tasks.
inline constexpr char kPreprocess[] = "preprocess";

class Translator {
 public:
  Translator(const Flags& flags, const hadoop::conf::Configuration& configuration, const Facts& facts)
      : flags_(flags), facts_(facts), values_(configuration, result_.problems) {}

  common::Translation Run();

 private:
  // --- roles.cc
  void FindJobTypes();
  void AddRoles();
  jobspec::RoleSpec RoleOf(const std::string& name);
  jobspec::Command CommandOf(const std::string& name);
  bool SkipsHadoopPath() const;
  void AddSingleTask();
  void AddTensorboard();
  void AddDriver();
  void JudgeFailures();
  void ReadFramework();
  bool IsJobType(const std::string& name) const;
  jobspec::RoleSpec* Find(const std::string& name);
  std::vector<std::string> Untracked() const;

  // --- order.cc
  void OrderStages();
  void Preprocess();
  void LimitOutliving();

  // --- resources.cc
  void AddFiles();
  void AddResources(const std::string& key, std::vector<jobspec::File>& to);
  void AddResource(const std::string& key, const std::string& item, std::vector<jobspec::File>& to);
  void AddFile(jobspec::File file, std::vector<jobspec::File>& to);
  void AddEnvironment();
  void AddDocker();

  // --- limits.cc
  void SetTimeouts();
  void CheckLimits();

  // --- notes.cc
  void NoteKeys();
  void NoteKey(const std::string& name, const hadoop::conf::Property& property);
  void Note(const std::string& key, std::string text);
  void KeepHistory();

  const Flags& flags_;
  const Facts& facts_;
  common::Translation result_;
  Values values_;
  // The job types for which tony.<job>.instances is set: chief first, then worker, then by name.
  std::vector<std::string> types_;
};

// Makes a path absolute: "a.zip" in "/jobs" becomes "/jobs/a.zip". Absolute paths and URIs are unchanged.
std::string Absolute(const std::string& path, const std::string& directory);
bool IsUri(const std::string& path);
bool Has(const std::vector<std::string>& list, const std::string& item);

}  // namespace howdah::compat::tony::config
