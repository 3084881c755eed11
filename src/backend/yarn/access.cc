#include "howdah/backend/yarn/access.h"

#include <algorithm>

#include "howdah/base/text.h"

namespace howdah::backend::yarn {
namespace {

std::vector<std::string> NamesOf(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (const std::string_view name = Trim(list.substr(0, comma)); !name.empty()) names.emplace_back(name);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

void SetAcl(::hadoop::yarn::ApplicationAccessTypeProto type, const std::vector<std::string>& entries,
            ::hadoop::yarn::ContainerLaunchContextProto& context) {
  auto& acl = *context.add_application_acls();
  acl.set_accesstype(type);
  acl.set_acl(ToText(ToAccessList(entries)));
}

}  // namespace

bool AccessList::HasUser(std::string_view user) const {
  return everybody || std::find(users.begin(), users.end(), user) != users.end();
}

bool AccessList::HasAnyGroup(const std::vector<std::string>& of_user) const {
  return std::any_of(of_user.begin(), of_user.end(), [this](const std::string& group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  });
}

AccessList ToAccessList(const std::vector<std::string>& entries) {
  AccessList list;
  for (const std::string& entry : entries) {
    if (entry == "*") {
      list.everybody = true;
    } else if (entry.starts_with('@')) {
      list.groups.push_back(entry.substr(1));
    } else {
      list.users.push_back(entry);
    }
  }
  return list;
}

AccessList ParseAccessList(std::string_view text) {
  if (Trim(text) == "*") return {true, {}, {}};
  const size_t space = std::min(text.find(' '), text.size());
  return {false, NamesOf(text.substr(0, space)), NamesOf(text.substr(space))};
}

std::string ToText(const AccessList& list) {
  return list.everybody ? "*" : Join(list.users, ",") + " " + Join(list.groups, ",");
}

bool ChecksAccess(const hadoop::conf::Configuration& configuration) {
  const auto checked = configuration.Bool("yarn.acl.enable", false);
  return checked.ok() && *checked;
}

std::string GrantRemedy(const std::string& key, const std::string& user, const std::string& owner) {
  return owner + " can grant it with `access: {" + key + ": [" + user + "]}` in the job file";
}

Error RightError(const std::string& doing, const std::string& right, const std::string& key, const JobId& job,
                 const std::string& user, const std::string& owner) {
  return Error::WithRemedy(
      ErrorCode::kUnavailable,
      "user " + user + " has no right to " + doing + " " + job.text + ", a job of " + owner + " (" + right + ")",
      GrantRemedy(key, user, owner));
}

void SetAccess(const jobspec::Access& access, ::hadoop::yarn::ContainerLaunchContextProto& context) {
  if (access == jobspec::Access{}) return;
  SetAcl(::hadoop::yarn::APPACCESS_VIEW_APP, access.view, context);
  SetAcl(::hadoop::yarn::APPACCESS_MODIFY_APP, access.modify, context);
}

}  // namespace howdah::backend::yarn
