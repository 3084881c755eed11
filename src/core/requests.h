// The requests to the backend: kept equal to what the tasks of roles that may start lack.
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

  // The task wants a container.
  void Want(const Task& task);
  // The task that gets a container which was granted to the role; nullptr: none was requested, or not any more.
  Task* TakeGrant(Role& role);
  // Brings the requests up to date.
  void Update();
  void CancelAll();
  bool any() const;
  int of(const Role& role) const { return roles_[role.number()].requested; }
  // After another AM has taken over: it cannot know which requests arrived.
  void Resend();
  void Check(bool up_to_date) const;

 private:
  struct RoleRequests {
    int requested = 0;  // and not granted yet
    // Members and optional tasks that want a container. Entries may be stale or repeated.
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
