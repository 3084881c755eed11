// The source under simulation: a driver, and attempts that supply partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "am.h"
#include "executor.h"
#include "howdah/feed/action.h"
#include "world.h"

namespace howdah::testing::feed_sim {

class Source {
 public:
  Source(World& world, SimAm& am, Executor::Owner& executors) : world_(world), am_(am), executors_(executors) {}

  void Begin();
  void Receive(const feed::Action& action);
  // Answers of the AM may have changed.
  void AskAgain();
  // The driver registers with the AM again.
  void Reconnect();
  // Whether an attempt still runs.
  bool busy() const { return !attempts_.empty(); }

 private:
  struct Attempt {
    int64_t pass = 0;
    feed::PartitionId partition = 0;
    int version = 0;
    bool waiting = false;  // asks again after the next actions
    int64_t turn = 0;      // number of the newest step; older continuations have no effect
    bool ending = false;   // all rows were sent
    bool again = false;    // the rows were requested again since
  };

  void Supply(int64_t pass, feed::Rows partitions);
  void Start(int64_t pass, feed::PartitionId partition);
  void Continue(int64_t id);
  void SendBlock(int64_t id, const feed::Answer& answer);
  void Finish(int64_t id);
  void DieSoon(int64_t id);
  void DriverDies();
  void Publish(int64_t partitions);
  int64_t RowsOf(const Attempt& attempt) const;

  World& world_;
  SimAm& am_;
  Executor::Owner& executors_;
  std::map<int64_t, Attempt> attempts_;
  int64_t ids_ = 0;
  int64_t published_ = 0;  // partitions that exist
  bool connected_ = true;
  bool silent_ = false;  // sends nothing any more
  int versions_ = 0;
};

}  // namespace howdah::testing::feed_sim
