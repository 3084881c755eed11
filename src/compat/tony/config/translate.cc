#include "howdah/compat/tony/config/translate.h"

#include <algorithm>

#include "translator.h"

namespace howdah::compat::tony::config {

bool IsUri(const std::string& path) { return path.find("://") != path.npos; }

std::string Absolute(const std::string& path, const std::string& directory) {
  if (path.empty() || path.front() == '/' || IsUri(path)) return path;
  return directory + "/" + path;
}

bool Has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

common::Translation Translator::Run() {
  jobspec::JobSpec& job = result_.job;
  job.name = values_.Text("tony.application.name", "TensorFlowApplication");
  job.queue = values_.Text("tony.yarn.queue");
  job.node_label = values_.Text("tony.application.node-label");
  job.tags = values_.List("tony.application.tags").value_or(std::vector<std::string>());
  for (const std::string& uri : values_.List("tony.other.namenodes").value_or(std::vector<std::string>())) {
    if (IsUri(uri)) job.file_systems.push_back(uri);  // anything else is in the default file system
  }
  job.tony_env = true;
  FindJobTypes();
  ReadFramework();
  types_.empty() ? AddSingleTask() : AddRoles();
  JudgeFailures();
  OrderStages();
  LimitOutliving();
  Preprocess();
  AddFiles();
  AddEnvironment();
  AddDocker();
  SetTimeouts();
  CheckLimits();
  NoteKeys();
  KeepHistory();
  return std::move(result_);
}

common::Translation Translate(const Flags& flags, const hadoop::conf::Configuration& configuration,
                              const Facts& facts) {
  return Translator(flags, configuration, facts).Run();
}

}  // namespace howdah::compat::tony::config
