// The container requests to the backend. Their number always equals the number of containers that tasks still need, in
// roles that may start.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "context.h"
#include "howdah/core/action.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Requests {
 public:
  explicit Requests(Units& units);

  // Records that the task needs a container.
  void Want(const Task& task);
  // Returns the task that gets a container that was granted to the role. Returns nullptr if no task of the role needs a
  // container now.
  Task* TakeGrant(Role& role);
  // Brings the requests up to date.
  void Update();
  void CancelAll();
  bool any() const;
  int of(const Role& role) const { return roles_[role.number()].requested; }
  // Repeats the requests after an AM failover, because the new AM cannot know which requests arrived.
  void Resend();
  void Check(bool up_to_date) const;

 private:
  struct RoleRequests {
    int requested = 0;  // containers that are requested and not granted yet
    // Members and optional tasks that need a container. An entry may be stale or a duplicate.
    std::priority_queue<int, std::vector<int>, std::greater<>> members, optional;
  };

  Task* NextPending(Role& role);
  bool MayRequest(const Role& role) const;
  int WantedBy(const Role& role) const;
  void Request(const std::vector<int>& counts);
  bool IsWholeGang(const RequestContainers& request) const;

  Context& context_;
  Roster& roster_;
  const class Assembly& assembly_;
  const class Growth& growth_;
  std::vector<RoleRequests> roles_;
};

}  // namespace howdah::core
