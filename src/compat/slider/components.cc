// Translates components of packages other than TensorFlow's: commands, docker containers, and the files of the package.
#include <algorithm>
#include <sstream>

#include "translator.h"

namespace howdah::compat::slider {
namespace {

constexpr char kDockerType[] = "yarn_docker";  // Component.TYPE_DOCKER
constexpr char kStart[] = "-START", kStarted[] = "-STARTED";

// Splits at commas, without spaces.
std::vector<std::string> ItemsOf(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) {
    item.erase(std::remove(item.begin(), item.end(), ' '), item.end());
    if (!item.empty()) items.push_back(item);
  }
  return items;
}

}  // namespace

void Translator::AddSource() {
  const Package& package = application_.package;
  result_.job.files = application_.files;
  if (package.path.empty()) return;
  std::string inside = "package/files";
  const bool listed = application_.metainfo && !application_.metainfo->packages.empty();
  if (listed) {
    const std::vector<MetaPackage>& packages = application_.metainfo->packages;
    inside = "package/" + packages.front().name;
    if (packages.size() > 1) {
      values_.Fail({application_.metainfo->place.file, 0, "application.packages"},
                   "has " + std::to_string(packages.size()) + " packages; combine them into one directory or archive");
    }
  }
  const keyfile::PathKind kind = package.path_kind(inside);
  if (kind == keyfile::PathKind::kMissing) {
    if (listed)
      values_.Fail({application_.metainfo->place.file, 0, "application.packages"}, package.path + " has no " + inside);
    return;
  }
  if (!package.zipped) {
    result_.job.source = package.path + "/" + inside;
  } else if (kind == keyfile::PathKind::kDirectory) {
    result_.job.source = package.path;
    directory_ = inside;
  } else {
    values_.Fail({application_.metainfo->place.file, 0, "application.packages"},
                 inside + " is an archive within " + package.path + "; unpack the latter and name its directory");
  }
}

jobspec::Command Translator::CommandOf(const Part& part) {
  const MetaComponent& meta = *part.meta;
  const auto start = std::find_if(meta.commands.begin(), meta.commands.end(),
                                  [](const MetaCommand& command) { return command.name == "START"; });
  if (start == meta.commands.end() || start->exec.empty()) {
    values_.Fail(meta.place, meta.has_script ? "runs a script of Slider's agent (commandScript), which Howdah cannot "
                                               "run; describe the component with commands and exec"
                                             : "has no command START with exec; add it to commands");
    return {"true", {}};
  }
  const std::string before = Start(part.name);
  return {before + Filled(start->exec, part), {}};
}

void Translator::ShareDocker(const DockerPart& docker, const Place& place) {
  jobspec::Docker keys;
  keys.network = docker.network;
  keys.privileged = docker.privileged;
  for (const DockerPart::Mount& mount : docker.mounts)
    keys.mounts.push_back(mount.host + ":" + mount.container + ":rw");
  if (!shared_) {
    shared_ = keys;
  } else if (keys != *shared_) {
    values_.Fail(place,
                 "network, mounts and runPrivilegedContainer must be the same in all docker components; write "
                 "an application for each of them");
  }
}

void Translator::SetDocker(const Part& part, jobspec::RoleSpec& role) {
  const MetaComponent& meta = *part.meta;
  role.command = {"true", {}};
  if (meta.docker.size() != 1) {
    values_.Fail(meta.place, meta.docker.empty() ? "has no dockerContainers; add one"
                                                 : "has several dockerContainers; write a component for each of them");
    return;
  }
  const DockerPart& docker = meta.docker.front();
  if (docker.image.empty()) values_.Fail(meta.place, "dockerContainers has no image; add it");
  if (docker.start_command.empty()) {
    values_.Fail(meta.place,
                 "dockerContainers has no startCommand; write the command of the image, because Howdah "
                 "starts the container with its own process");
  } else {
    role.command.shell = Start(part.name);
    role.command.shell += Filled(docker.start_command, part);
  }
  role.image = docker.image;
  ShareDocker(docker, meta.place);
}

void Translator::AddComponents() {
  bool all_docker = true;
  for (const Part& part : parts_) {
    if (part.instances == 0 || part.meta->category == "CLIENT") continue;
    jobspec::RoleSpec role = RoleOf(part);
    role.restart.always = true;  // Slider replaces every container that ends
    if (part.meta->type == kDockerType) {
      SetDocker(part, role);
    } else {
      role.command = CommandOf(part);
      all_docker = false;
    }
    result_.job.roles.push_back(std::move(role));
  }
  if (result_.job.roles.empty() && result_.problems.empty()) {
    values_.Fail({application_.resources.place.file, 0, "components"},
                 "no component has instances; set yarn.component.instances of one of them");
  }
  result_.job.start = jobspec::StartMode::kFree;
  if (shared_ && *shared_ != jobspec::Docker{}) {
    if (all_docker) {
      shared_->image = *result_.job.roles.front().image;
      result_.job.docker = *shared_;
    } else {
      values_.Fail({application_.metainfo->place.file, 0, "application.components"},
                   "network, mounts and runPrivilegedContainer are only possible if all components are docker "
                   "components; write an application for the others");
    }
  }
  OrderStarts();
  ApplyMaxima();
}

void Translator::OrderStarts() {
  for (const CommandOrder& order : application_.metainfo->orders) {
    if (!order.command.ends_with(kStart)) {
      values_.Fail(order.place, "'" + order.command + "' is not supported; write COMPONENT-START");
      continue;
    }
    const std::string name = order.command.substr(0, order.command.size() - std::string_view(kStart).size());
    for (const std::string& item : ItemsOf(order.required)) {
      if (item.ends_with("-INSTALLED")) continue;  // the files are there before any task starts
      if (!item.ends_with(kStarted)) {
        values_.Fail(order.place, "'" + item + "' is not supported; write COMPONENT-STARTED");
        continue;
      }
      const std::string first = item.substr(0, item.size() - std::string_view(kStarted).size());
      for (jobspec::RoleSpec& role : result_.job.roles) {
        if (role.name == name && HasRole(first)) role.after.push_back({first});
      }
    }
  }
}

}  // namespace howdah::compat::slider
