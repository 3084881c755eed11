// Decides who may read the status page of a job on YARN.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts.h"
#include "background_call.h"
#include "howdah/backend/page_readers.h"
#include "howdah/backend/yarn/access.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn::am {

// The rule of YARN (ApplicationACLsManager.checkAccess): the owner, the job's `access.view`, and the administrators of
// `yarn.admin.acl`. Pure.
class ReadRule {
 public:
  ReadRule(const hadoop::conf::Configuration& configuration, const jobspec::Access& access, std::string owner);

  // Returns whether the user may read, or nullopt if this depends on the user's groups.
  std::optional<bool> ByName(const std::string& user) const;
  bool ByGroups(const std::vector<std::string>& groups) const;
  // The reason of a refusal, and the remedy.
  std::string Refusal(const std::string& user) const;

 private:
  std::string owner_;
  AccessList view_, administrators_;
};

// Returns the groups of a user. Blocks; called on another thread.
using GroupsOf = std::function<Result<std::vector<std::string>>(const std::string& user)>;

// Looks groups up on another thread, one user at a time, and remembers them for five minutes, as Hadoop does
// (hadoop.security.groups.cache.secs).
class YarnPageReaders : public backend::PageReaders {
 public:
  // clock must live longer than this object.
  YarnPageReaders(boost::asio::io_context& loop, const os::process::Clock& clock, ReadRule rule,
                  GroupsOf groups_of = LookUpGroups);
  void Check(const std::string& user, std::function<void(std::string refusal)> answer) override;

 private:
  struct Question {
    std::string user;
    std::function<void(std::string)> answer;
  };
  struct Known {
    bool may_read = false;
    Instant until;
  };
  void LookUpNext();
  void OnGroups(const std::string& user, const Result<std::vector<std::string>>& groups);
  // Answers all questions of the user.
  void Answer(const std::string& user, const std::string& refusal);

  const os::process::Clock& clock_;
  const ReadRule rule_;
  const GroupsOf groups_of_;
  std::map<std::string, Known> known_;
  std::vector<Question> questions_;  // in the order of their arrival
  BackgroundCall call_;
};

// Returns null if the cluster checks no rights (`yarn.acl.enable`): its own pages are then open to everyone, too.
std::unique_ptr<backend::PageReaders> MakePageReaders(boost::asio::io_context& loop, const os::process::Clock& clock,
                                                      const hadoop::conf::Configuration& configuration,
                                                      const jobspec::Access& access, const std::string& owner);

}  // namespace howdah::backend::yarn::am
