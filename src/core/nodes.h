// Nodes on which tasks fail, whoever may be to blame. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core {

// A node on which three attempts have failed within ten minutes is avoided for ten minutes, if other nodes fare clearly
// better: a program that fails everywhere is no node's fault. Never more than half of the nodes that the job has seen,
// and so never the only one.
class Nodes {
 public:
  void Seen(const std::string& node) { seen_.insert(node); }
  // An attempt failed there of which no other failure is the cause. Returns why the node is avoided from now on, for
  // people; empty: it is not, or was already.
  std::string Failed(const std::string& node, Instant now);
  // An attempt failed there, and its node is to blame: once is enough, and for long. As above; but who has seen no
  // other node may find one.
  std::string Hurt(const std::string& node, Instant now);
  bool Avoided(const std::string& node, Instant now) const;
  // Those that are, each with the time that is left.
  std::vector<std::pair<std::string, Duration>> Avoided(Instant now) const;

 private:
  std::set<std::string> seen_;
  std::map<std::string, std::deque<Instant>> failures_;  // of the last minutes
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::core
