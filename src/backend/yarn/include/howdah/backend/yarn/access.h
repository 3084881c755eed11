// The rights of users on a job, in the terms of Hadoop. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn {

// A list of users and groups (org.apache.hadoop.security.authorize.AccessControlList).
struct AccessList {
  bool everybody = false;
  std::vector<std::string> users, groups;

  bool HasUser(std::string_view user) const;  // without regard to the user's groups
  bool HasAnyGroup(const std::vector<std::string>& of_user) const;
  friend bool operator==(const AccessList&, const AccessList&) = default;
};

AccessList ToAccessList(const std::vector<std::string>& entries);  // as in jobspec::Access
// text: users separated by commas, a space, and groups separated by commas; or "*".
AccessList ParseAccessList(std::string_view text);
std::string ToText(const AccessList& list);  // " " for nobody

// Returns whether the cluster checks these rights (`yarn.acl.enable`).
bool ChecksAccess(const hadoop::conf::Configuration& configuration);

// The remedy for a user without a right. key: the key below `access` that grants it, "view" or "modify".
std::string GrantRemedy(const std::string& key, const std::string& user, const std::string& owner);
// The error of a user without a right on a job. doing: "stop". right: as in YARN, "MODIFY_APP". key: as in GrantRemedy.
Error RightError(const std::string& doing, const std::string& right, const std::string& key, const JobId& job,
                 const std::string& user, const std::string& owner);

// Sets the ACLs with which YARN decides on reading and stopping the application. Without rights it sets none, so that
// only the owner and the administrators have them.
void SetAccess(const jobspec::Access& access, ::hadoop::yarn::ContainerLaunchContextProto& context);

}  // namespace howdah::backend::yarn
