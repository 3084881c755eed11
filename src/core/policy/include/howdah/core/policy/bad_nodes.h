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

// A node on which three attempts have failed within ten minutes is avoided for ten minutes, if other nodes do clearly
// better: a program that fails everywhere is not the node's fault. At most half of the nodes that the job has used are
// avoided, and so never the only one.
class BadNodes {
 public:
  void Seen(const std::string& node) { seen_.insert(node); }
  // An attempt that failed first, not as a consequence, failed on the node. Returns why the node is avoided from now
  // on, for people; empty: it is not, or already was.
  std::string Failed(const std::string& node, Instant now);
  // The node itself caused a failure: one is enough, for a day. As above, but the only known node may be avoided, too.
  std::string Faulty(const std::string& node, Instant now);
  bool Avoided(const std::string& node, Instant now) const;
  // The avoided nodes, each with the time that is left.
  std::vector<std::pair<std::string, Duration>> Avoided(Instant now) const;

 private:
  std::set<std::string> seen_;
  std::map<std::string, std::deque<Instant>> failures_;  // of the last minutes
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::core::policy
