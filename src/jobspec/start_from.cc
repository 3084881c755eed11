#include "howdah/jobspec/start_from.h"

#include <algorithm>
#include <set>

#include "howdah/keyfile/nearest.h"

namespace howdah::jobspec {
namespace {

using Names = std::set<std::string>;

Error Misused(const std::string& role, const std::string& why) {
  return Error{ErrorCode::kUsage, "--from " + role + ": " + why};
}

const RoleSpec* FindRole(const JobSpec& spec, const std::string& name) {
  const auto found =
      std::find_if(spec.roles.begin(), spec.roles.end(), [&](const RoleSpec& role) { return role.name == name; });
  return found == spec.roles.end() ? nullptr : &*found;
}

// The roles whose end this role waits for.
Names AwaitedBy(const JobSpec& spec, const RoleSpec& role) {
  Names awaited;
  for (const RoleSpec& other : spec.roles) {
    if (other.kind == RoleKind::kSetup && role.kind != RoleKind::kSetup) awaited.insert(other.name);
  }
  for (const After& after : role.after) {
    if (after.finished) awaited.insert(after.role);
  }
  return awaited;
}

// Adds the roles that must finish before `role` can start.
void AddFinished(const JobSpec& spec, const RoleSpec& role, Names& finished) {
  for (const std::string& name : AwaitedBy(spec, role)) {
    if (!finished.insert(name).second) continue;
    if (const RoleSpec* const other = FindRole(spec, name)) AddFinished(spec, *other, finished);
  }
}

// The first variable of a finished role that neither the waiting role nor the job sets; "" if there is none.
std::string MissingExport(const JobSpec& spec, const RoleSpec& waiting, const RoleSpec& finished) {
  const auto sets = [](const EnvVars& env, const std::string& name) {
    return std::any_of(env.begin(), env.end(), [&](const auto& variable) { return variable.first == name; });
  };
  for (const auto& [name, text] : finished.exports) {
    if (!sets(waiting.env, name) && !sets(spec.env, name)) return name;
  }
  return "";
}

void RemoveNames(std::vector<std::string>& names, const Names& removed) {
  std::erase_if(names, [&](const std::string& name) { return removed.contains(name); });
}

}  // namespace

Status StartFrom(JobSpec& spec, const std::string& name) {
  const RoleSpec* const first = FindRole(spec, name);
  if (first == nullptr) {
    std::vector<std::string_view> names;
    for (const RoleSpec& role : spec.roles) names.push_back(role.name);
    const std::string_view near = keyfile::Nearest(name, names);
    return Misused(name,
                   "the job has no such role" + (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
  }
  Names finished;
  AddFinished(spec, *first, finished);
  if (finished.empty())
    return Misused(name, "the role waits for no role to finish, so it starts at once; remove --from");
  for (const RoleSpec& role : spec.roles) {
    if (finished.contains(role.name)) continue;
    for (const std::string& awaited : AwaitedBy(spec, role)) {
      const RoleSpec* const other = FindRole(spec, awaited);
      if (!finished.contains(awaited) || other == nullptr) continue;
      const std::string missing = MissingExport(spec, role, *other);
      if (missing.empty()) continue;
      return Misused(name, "role " + role.name + " needs the variable " + missing + ", which role " + awaited +
                               " exports; start from " + awaited + ", or set the variable in `env`");
    }
  }
  std::erase_if(spec.roles, [&](const RoleSpec& role) { return finished.contains(role.name); });
  for (RoleSpec& role : spec.roles) {
    std::erase_if(role.after, [&](const After& after) { return finished.contains(after.role); });
    RemoveNames(role.placement.near, finished);
    RemoveNames(role.placement.apart, finished);
    if (!role.outlive) continue;
    RemoveNames(role.outlive->roles, finished);
    if (role.outlive->roles.empty()) role.outlive.reset();
  }
  std::erase_if(spec.feeds, [&](const FeedSpec& feed) {
    const auto& roles = feed.roles;
    return !roles.empty() &&
           std::all_of(roles.begin(), roles.end(), [&](const auto& r) { return finished.contains(r); });
  });
  for (FeedSpec& feed : spec.feeds) RemoveNames(feed.roles, finished);
  return {};
}

}  // namespace howdah::jobspec
