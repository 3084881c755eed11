// Identifiers. Each kind has a type of its own, so that a container id cannot be passed where a job id is expected.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace howdah {

// A string that identifies an object. `Tag` is the kind of object.
template <typename Tag>
struct Id {
  std::string text;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;  // "howdah-20261121-064512-x7k2" on the local backend, "application_..." on YARN
using ContainerId = Id<struct ContainerTag>;  // the id that the backend gave the container

// The name of a task for people: "worker:3".
std::string TaskText(std::string_view role_name, int index);

// Identifies a task by the index of its role in the job file and its index within the role. JobSpec has the role names.
struct TaskId {
  int role = 0;
  int index = 0;
  // Formats "worker:3". role_name: the name of this task's role.
  std::string Text(std::string_view role_name) const { return TaskText(role_name, index); }
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

}  // namespace howdah

template <typename Tag>
struct std::hash<howdah::Id<Tag>> {
  size_t operator()(const howdah::Id<Tag>& id) const noexcept { return std::hash<std::string>()(id.text); }
};
