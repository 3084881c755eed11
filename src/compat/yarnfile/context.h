// The state of one translation, which the parts of the library share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "constants.h"
#include "howdah/compat/common/translation.h"
#include "howdah/compat/yarnfile/translate.h"
#include "records.h"

namespace howdah::compat::yarnfile {

// A component with the values that it inherits from the service.
struct ResolvedComponent {
  Component component;
  std::string path;           // "components[0].", for messages
  std::string artifact_path;  // "components[0].artifact.", or "artifact."
  bool docker() const { return component.artifact && component.artifact->type == ArtifactType::kDocker; }
};

struct Context {
  const Service& service;
  const Request& request;
  const Constants& constants;
  common::Translation& result;

  // Reports a problem with a key: "components[0].name: invalid ...".
  void Fail(const std::string& path, const std::string& text) const;
  // Reports a key without effect. The reason is that of the table's row `table_key`.
  void Note(const std::string& path, std::string_view table_key) const;
};

// Replaces constants, and reports the constants that have no value.
Filled FillText(const Context& context, const std::string& path, std::string_view text, const ResolvedComponent& owner);

// Reads a property that is a whole number of at least `least`. Returns nullopt if it is not set, or after reporting a
// problem.
std::optional<int64_t> NumberProperty(const Context& context, const ResolvedComponent& owner, std::string_view name,
                                      int64_t least);

// Converts the location of a file as YARN understands it: a URI, a path of this machine if it exists there, otherwise
// on a cluster a path in its file system.
std::string SourceOf(const Context& context, const std::string& location);

// command.cc. Sets command, env and files of the role.
void SetCommand(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role);
// placement.cc
void SetPlacement(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role);
// limits.cc. Sets `restart` from the policy and the properties.
void SetRestart(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role);
// limits.cc. Reports properties without effect and unknown ones. Sets the job's keys that follow from properties.
void CheckProperties(const Context& context, const std::string& path, const Pairs& properties);
void SetLimits(const Context& context);
// readiness.cc
void SetReady(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role);
// docker.cc. Sets `docker` of the job and `image` of the roles, which are in the order of the components.
void SetDocker(const Context& context, const std::vector<ResolvedComponent>& components);
// Whether a variable of a component's `env` is a setting of YARN's docker runtime, which is not set in the task.
bool IsDockerSetting(std::string_view variable);

}  // namespace howdah::compat::yarnfile
