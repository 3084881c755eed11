// Translates components of packages other than TensorFlow's: commands, docker containers, and the files of the package.
#include <algorithm>
#include <sstream>

#include "context.h"

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

jobspec::Command CommandOf(Context& context, const Part& part) {
  const MetaComponent& meta = *part.meta;
  const auto start = std::find_if(meta.commands.begin(), meta.commands.end(),
                                  [](const MetaCommand& command) { return command.name == "START"; });
  if (start == meta.commands.end() || start->exec.empty()) {
    context.values.Fail(meta.place, meta.has_script
                                        ? "runs a script of Slider's agent (commandScript), which Howdah cannot "
                                          "run; describe the component with commands and exec"
                                        : "has no command START with exec; add it to commands");
    return {"true", {}};
  }
  const std::string before = Start(context, part.name);
  return {before + Filled(context, start->exec, part), {}};
}

void ShareDocker(Context& context, const DockerPart& docker, const Place& place) {
  jobspec::Docker keys;
  keys.network = docker.network;
  keys.privileged = docker.privileged;
  for (const DockerPart::Mount& mount : docker.mounts)
    keys.mounts.push_back(mount.host + ":" + mount.container + ":rw");
  if (!context.shared) {
    context.shared = keys;
  } else if (keys != *context.shared) {
    context.values.Fail(place,
                        "network, mounts and runPrivilegedContainer must be the same in all docker components; write "
                        "an application for each of them");
  }
}

void SetDocker(Context& context, const Part& part, jobspec::RoleSpec& role) {
  const MetaComponent& meta = *part.meta;
  role.command = {"true", {}};
  if (meta.docker.size() != 1) {
    context.values.Fail(meta.place, meta.docker.empty()
                                        ? "has no dockerContainers; add one"
                                        : "has several dockerContainers; write a component for each of them");
    return;
  }
  const DockerPart& docker = meta.docker.front();
  if (docker.image.empty()) context.values.Fail(meta.place, "dockerContainers has no image; add it");
  if (docker.start_command.empty()) {
    context.values.Fail(meta.place,
                        "dockerContainers has no startCommand; write the command of the image, because Howdah "
                        "starts the container with its own process");
  } else {
    role.command.shell = Start(context, part.name);
    role.command.shell += Filled(context, docker.start_command, part);
  }
  role.image = docker.image;
  ShareDocker(context, docker, meta.place);
}

void OrderStarts(Context& context) {
  for (const CommandOrder& order : context.application.metainfo->orders) {
    if (!order.command.ends_with(kStart)) {
      context.values.Fail(order.place, "'" + order.command + "' is not supported; write COMPONENT-START");
      continue;
    }
    const std::string name = order.command.substr(0, order.command.size() - std::string_view(kStart).size());
    for (const std::string& item : ItemsOf(order.required)) {
      if (item.ends_with("-INSTALLED")) continue;  // the files are there before any task starts
      if (!item.ends_with(kStarted)) {
        context.values.Fail(order.place, "'" + item + "' is not supported; write COMPONENT-STARTED");
        continue;
      }
      const std::string first = item.substr(0, item.size() - std::string_view(kStarted).size());
      for (jobspec::RoleSpec& role : context.result.job.roles) {
        if (role.name == name && HasRole(context, first)) role.after.push_back({first});
      }
    }
  }
}

}  // namespace

void AddSource(Context& context) {
  const Package& package = context.application.package;
  context.result.job.files = context.application.files;
  if (package.path.empty()) return;
  std::string inside = "package/files";
  const bool listed = context.application.metainfo && !context.application.metainfo->packages.empty();
  if (listed) {
    const std::vector<MetaPackage>& packages = context.application.metainfo->packages;
    inside = "package/" + packages.front().name;
    if (packages.size() > 1) {
      context.values.Fail(
          {context.application.metainfo->place.file, 0, "application.packages"},
          "has " + std::to_string(packages.size()) + " packages; combine them into one directory or archive");
    }
  }
  const keyfile::PathKind kind = package.path_kind(inside);
  if (kind == keyfile::PathKind::kMissing) {
    if (listed)
      context.values.Fail({context.application.metainfo->place.file, 0, "application.packages"},
                          package.path + " has no " + inside);
    return;
  }
  if (!package.zipped) {
    context.result.job.source = package.path + "/" + inside;
  } else if (kind == keyfile::PathKind::kDirectory) {
    context.result.job.source = package.path;
    context.directory = inside;
  } else {
    context.values.Fail(
        {context.application.metainfo->place.file, 0, "application.packages"},
        inside + " is an archive within " + package.path + "; unpack the latter and name its directory");
  }
}

void AddComponents(Context& context) {
  bool all_docker = true;
  for (const Part& part : context.parts) {
    if (part.instances == 0 || part.meta->category == "CLIENT") continue;
    jobspec::RoleSpec role = RoleOf(context, part);
    role.restart.always = true;  // Slider replaces every container that ends
    if (part.meta->type == kDockerType) {
      SetDocker(context, part, role);
    } else {
      role.command = CommandOf(context, part);
      all_docker = false;
    }
    context.result.job.roles.push_back(std::move(role));
  }
  if (context.result.job.roles.empty() && context.result.problems.empty()) {
    context.values.Fail({context.application.resources.place.file, 0, "components"},
                        "no component has instances; set yarn.component.instances of one of them");
  }
  context.result.job.start = jobspec::StartMode::kFree;
  if (context.shared && *context.shared != jobspec::Docker{}) {
    if (all_docker) {
      context.shared->image = *context.result.job.roles.front().image;
      context.result.job.docker = *context.shared;
    } else {
      context.values.Fail({context.application.metainfo->place.file, 0, "application.components"},
                          "network, mounts and runPrivilegedContainer are only possible if all components are docker "
                          "components; write an application for the others");
    }
  }
  OrderStarts(context);
  ApplyMaxima(context);
}

}  // namespace howdah::compat::slider
