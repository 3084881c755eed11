#include <algorithm>

#include "context.h"
#include "howdah/compat/yarnfile/keys.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

const std::string kPrefix = "YARN_CONTAINER_RUNTIME_DOCKER_";

// Collects the settings of all components. Howdah has one set of docker settings for a job.
class DockerSettings {
 public:
  explicit DockerSettings(const Context& context) : context_(context) {}

  void Add(const ResolvedComponent& owner) {
    const Configuration& configuration = owner.component.configuration;
    AddPrivileged(owner);
    if (const std::string* network = Find(configuration.properties, "docker.network")) {
      Set(docker_.network, *network, owner.path + "configuration.properties.docker.network");
    }
    for (const auto& [name, value] : configuration.env) {
      if (IsDockerSetting(name)) AddVariable(owner.path + "configuration.env." + name, name, value);
    }
  }
  const jobspec::Docker& docker() const { return docker_; }

 private:
  void Set(std::string& field, const std::string& value, const std::string& path) {
    if (field.empty()) field = value;
    if (field == value) return;
    context_.Fail(path, "is " + keyfile::Quoted(value) + ", and another component has " + keyfile::Quoted(field) +
                            "; all components of a service must have the same");
  }

  void AddVariable(const std::string& path, const std::string& name, const std::string& value) {
    if (name == kPrefix + "CONTAINER_NETWORK") {
      Set(docker_.network, value, path);
    } else if (name == kPrefix + "RUNTIME") {
      Set(docker_.runtime, value, path);
    } else if (name == kPrefix + "MOUNTS") {
      AddList(value, "", docker_.mounts);
    } else if (name == kPrefix + "LOCAL_RESOURCE_MOUNTS") {
      AddList(value, ":ro", docker_.mounts);
    } else if (name == kPrefix + "TMPFS_MOUNTS") {
      AddList(value, "", docker_.tmpfs);
    } else if (name == kPrefix + "RUN_OVERRIDE_DISABLE") {
      if (value != "true") return;
      context_.Fail(path,
                    "Howdah does not run the entry point of an image; write the program of the entry point in "
                    "launch_command, and remove this variable");
    } else if (name != kPrefix + "RUN_PRIVILEGED_CONTAINER") {
      const common::Key* key = Keys().Find(name);
      const std::string nearest = key == nullptr ? Keys().Nearest(name, "", {}) : "";
      if (key != nullptr) context_.Note(path, name);
      if (key != nullptr) return;
      context_.Fail(path, "unknown setting of YARN's docker runtime" +
                              (nearest.empty() ? "; remove it" : "; did you mean '" + nearest + "'?"));
    }
  }

  static void AddList(const std::string& text, const std::string& ending, std::vector<std::string>& list) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string item = text.substr(begin, end - begin) + ending;
      if (end > begin && std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
      begin = end + 1;
    }
  }

  void AddPrivileged(const ResolvedComponent& owner) {
    const std::string* variable = Find(owner.component.configuration.env, kPrefix + "RUN_PRIVILEGED_CONTAINER");
    const bool privileged = owner.component.run_privileged_container || (variable != nullptr && *variable == "true");
    if (is_first_) docker_.privileged = privileged;
    is_first_ = false;
    if (docker_.privileged == privileged) return;
    context_.Fail(owner.path + "run_privileged_container",
                  "all components of a service must have the same value; write it in all of them, or in none");
  }

  const Context& context_;
  jobspec::Docker docker_;
  bool is_first_ = true;
};

}  // namespace

void SetDocker(const Context& context, const std::vector<ResolvedComponent>& components) {
  jobspec::JobSpec& job = context.result.job;
  const auto first = std::find_if(components.begin(), components.end(),
                                  [](const ResolvedComponent& component) { return component.docker(); });
  if (first == components.end()) {
    if (!context.service.docker_client_config.empty()) {
      context.result.notes.push_back({"docker_client_config", context.request.file, "no component uses docker"});
    }
    return;
  }
  DockerSettings settings(context);
  for (size_t i = 0; i < components.size(); ++i) {
    const ResolvedComponent& owner = components[i];
    if (!owner.docker()) {
      context.Fail(owner.path + "artifact", "missing; component " + keyfile::Quoted(first->component.name) +
                                                " uses docker, so all components of the service must have an image");
      continue;
    }
    settings.Add(owner);
    const std::string& image = owner.component.artifact->id;
    if (image != first->component.artifact->id) job.roles[i].image = image;
  }
  job.docker = settings.docker();
  job.docker->image = first->component.artifact->id;
  if (!context.service.docker_client_config.empty()) {
    const std::string& location = context.service.docker_client_config;
    job.docker->client_config = SourceOf(context, location);
    if (job.docker->client_config.find("://") != std::string::npos) {
      context.Fail("docker_client_config", keyfile::Quoted(location) +
                                               " is not on this machine; copy it, for example with `hdfs dfs -get`, "
                                               "and write its path");
    }
  }
}

}  // namespace howdah::compat::yarnfile
