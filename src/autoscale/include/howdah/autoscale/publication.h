// The file in which an autoscaler publishes to the clients of the cluster how large the cluster may become. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// A running autoscaler writes at least every kPublishedEvery. Clients ignore a file older than kPublicationIsOld: the
// autoscaler has stopped, or cannot write.
inline constexpr Duration kPublishedEvery = std::chrono::minutes(1);
inline constexpr Duration kPublicationIsOld = std::chrono::minutes(10);
inline constexpr size_t kLongestPublication = size_t{1} << 20;

struct Publication {
  struct Growth {
    Group group = Group::kPrimary;
    int most = 0;                   // nodes that the policy allows
    int more = 0;                   // nodes that may join beside those that are registered
    std::optional<NodeShape> node;  // nullopt: not known until a node has joined
    friend bool operator==(const Growth&, const Growth&) = default;
  };
  Instant published;
  std::vector<Growth> groups;
  int coming = 0;        // nodes that have been ordered and have not registered
  Instant coming_since;  // when the first of them was ordered
  Instant decided;       // of the last decision
  std::string verdict;   // "SCALE_UP"
  std::string reason;    // a sentence with numbers

  bool IsOld(Instant now) const { return now > published + kPublicationIsOld; }
  friend bool operator==(const Publication&, const Publication&) = default;
};

std::string WritePublication(const Publication& publication);
// Any text is safe. kUsage: it is not a publication.
Result<Publication> ReadPublication(std::string_view text);

// Describes the nodes that are on their way: "3 nodes have been ordered 40 s ago", or "".
std::string ComingText(const Publication& publication, Instant now);

}  // namespace howdah::autoscale
