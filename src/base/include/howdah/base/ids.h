// Identifiers. Each kind has a type of its own, so that a container id cannot be passed where a job id is expected.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace howdah {

// A string that names one kind of thing.
template <typename Tag>
struct Id {
  std::string text;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;  // "howdah-20261121-064512-x7k2" on the local backend, "application_..." on YARN
using ContainerId = Id<struct ContainerTag>;  // the backend's own name of a container

// "worker:1"
inline std::string TaskText(std::string_view role_name, int index) {
  return std::string(role_name) + ":" + std::to_string(index);
}

// A task: its role by position in the job file, and its index within the role. The JobSpec has the role's name.
struct TaskId {
  int role = 0;
  int index = 0;
  std::string Text(std::string_view role_name) const { return TaskText(role_name, index); }
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

// The address at which other tasks reach a task.
struct Endpoint {
  std::string host;
  uint16_t port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

}  // namespace howdah

template <typename Tag>
struct std::hash<howdah::Id<Tag>> {
  size_t operator()(const howdah::Id<Tag>& id) const noexcept { return std::hash<std::string>()(id.text); }
};
