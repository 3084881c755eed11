// Nodes to avoid because attempts fail there.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core::policy {

// A node on which three attempts have failed within ten minutes is avoided for ten minutes, if no other node has more
// than half as many failures: a program that fails everywhere is not the node's fault. At most half of the nodes that
// the job has used are avoided, so never the only one.
class BadNodes {
 public:
  void Seen(const std::string& node) { seen_.insert(node); }
  // An attempt has failed on the node, and not as a consequence of another failure. Returns, for people, why the node
  // is avoided from now on. Returns "" if it is not avoided, or already was.
  std::string Failed(const std::string& node, Instant now);
  // The node itself caused a failure. One such failure is enough: the node is avoided for a day. Returns the same as
  // Failed(), but the only node that the job has used may be avoided, too.
  std::string Faulty(const std::string& node, Instant now);
  bool Avoided(const std::string& node, Instant now) const;
  // The avoided nodes, each with the time that is left.
  std::vector<std::pair<std::string, Duration>> Avoided(Instant now) const;

 private:
  std::set<std::string> seen_;
  std::map<std::string, std::deque<Instant>> failures_;  // of the last ten minutes
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::core::policy
