// The names of things, each its own type: a container cannot be passed where a job is wanted.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace howdah {

// A string that is a name of one kind of thing.
template <typename Tag>
struct Id {
  std::string text;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;              // "howdah-20261121-064512-x7k2" on local, "application_..." on YARN
using ContainerId = Id<struct ContainerTag>;  // the place's own name of a container

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

// Where a task can be reached by the others.
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
