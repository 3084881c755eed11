// Checkpoints of ranks that restart alone: with FeedReader.state_dict() instead of Context.checkpoint(), so the job
// does not know them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "am.h"
#include "howdah/feed/event.h"
#include "world.h"

namespace howdah::testing::feed_sim {

class OwnCheckpoints {
 public:
  OwnCheckpoints(World& world, SimAm& am) : world_(world), am_(am) {}

  // The program of a rank has done this step, and saves the position of the feed.
  void Save(const feed::StepReported& step) {
    am_.Call(step, [this, step] {
      if (am_.incarnation(step.reader.rank) != step.reader.incarnation) return;
      saved_[step.reader.rank] = {step.step, am_.PointAt(step.step)};
    });
  }
  // The program of the rank begins again, and restores its checkpoint if it has one. then: whether the feed returned to
  // its position.
  void Restore(int rank, int64_t generation, const std::function<void(bool returned)>& then) {
    const auto own = saved_.find(rank);
    if (own == saved_.end()) return then(false);
    const auto& [step, point] = own->second;
    am_.Call(feed::PointFound{generation, step, point}, [this, rank, then, before = am_.incarnation(rank)] {
      const bool returned = am_.incarnation(rank) != before;
      world_.Reach(returned ? Situation::kPointRestored : Situation::kPointIgnored);
      then(returned);
    });
  }

 private:
  World& world_;
  SimAm& am_;
  std::map<int, std::pair<int64_t, std::string>> saved_;  // by rank: step and position
};

}  // namespace howdah::testing::feed_sim
