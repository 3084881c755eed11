// Requests that the ResourceManager has rejected because they exceed its largest permitted container. It computes this
// size from the nodes that run now. So the loss of a node, or a node that an autoscaler has not added yet, leads to the
// rejection of requests that can be granted later.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn::am {

// Pure.
class RejectedRequests {
 public:
  // containers: those of the rejected request, by role. Returns false if they can never be granted: the error has
  // another reason than their size, or the running nodes were already large enough for all of them.
  bool Add(const Error& error, const std::map<int, int>& containers);
  // Returns the roles whose containers should be requested again, and forgets them. together: either all or none.
  // largest: the largest amount of each resource type on a running node; nullopt if it is unknown, so that only another
  // request can show whether the ResourceManager accepts them now.
  std::set<int> TakeRepeatable(bool together, const std::optional<hadoop::yarn::Resource>& largest,
                               const std::function<hadoop::yarn::Resource(int role)>& size_of);
  // Call it for every answer of the ResourceManager that is not a rejection.
  void OnAnswer();
  void Clear() { *this = {}; }

  // The reason of the newest rejection, until the ResourceManager has accepted all requests.
  const std::string& reason() const { return reason_; }

 private:
  std::set<int> roles_;
  std::set<int> repeated_;  // roles that were requested again, for which the running nodes were large enough
  int answers_left_ = 0;    // until the ResourceManager has accepted the requests that were repeated
  std::string reason_;
};

}  // namespace howdah::backend::yarn::am
