// Nodes to avoid because attempts fail there.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core::policy {

// Every reason that BadNodes returns begins with the node and these words.
inline constexpr std::string_view kIsAvoided = " is avoided for ";

// Returns when the avoidance ends that BadNodes has announced with this reason at the time `at`. Returns nullopt for
// any other text.
std::optional<Instant> AvoidedUntil(std::string_view reason, Instant at);

// A node on which three attempts have failed within ten minutes is avoided for ten minutes, unless another node has
// more than half as many failures: a program that fails everywhere is not the node's fault. At most half of the nodes
// that the job has used are avoided, so a job that has used one node never avoids it.
class BadNodes {
 public:
  void Seen(const std::string& node) { seen_.insert(node); }
  // Call it when an attempt has failed on the node, unless the failure is a consequence of another one. Returns the
  // reason why the node is avoided from now on, as text for users. Returns "" if the node is not avoided, or already
  // was.
  std::string Failed(const std::string& node, Instant now);
  // Call it when the node itself caused a failure. One such failure is enough: the node is avoided for a day. Returns
  // the same as Failed(). Even the only node that the job has used may be avoided.
  std::string Faulty(const std::string& node, Instant now);
  bool Avoided(const std::string& node, Instant now) const;
  // The avoided nodes, each with the time that is left.
  std::vector<std::pair<std::string, Duration>> Avoided(Instant now) const;

 private:
  std::set<std::string> seen_;
  std::map<std::string, std::deque<Instant>> failures_;  // times of the failures in the last ten minutes
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::core::policy
