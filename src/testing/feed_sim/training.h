// The training under simulation: its processes, its model and checkpoints, and what happens to them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "am.h"
#include "checker.h"
#include "executor.h"
#include "own_checkpoints.h"
#include "world.h"

namespace howdah::testing::feed_sim {

class Training : public Executor::Owner {
 public:
  Training(World& world, SimAm& am, Checker& checker);

  void Begin();
  // The processes have ended, and so have the attempts of the source. If the log may have lost the failure of the feed,
  // the next AM does not end them: the job does, which has failed.
  bool IsOver(bool source_busy) const {
    return finished_ && (!source_busy || (failed_ && world_.scenario.faults.tail_lost > 0));
  }
  std::string Describe() const;
  // An order of the AM to a reader.
  void Receive(const feed::ReaderId& reader, const feed::Action& action);
  // An order of the AM to all.
  void ReceiveAll(const feed::Action& action);
  // The executors connect to another AM.
  void Reconnect();
  // A process dies, with all others if ranks do not restart alone. nullopt: any rank.
  void ProcessDies(std::optional<int> rank = std::nullopt);

  // Executor::Owner
  void Poke(int rank) override;
  Executor* Find(int rank) override;

 private:
  struct Model {
    int64_t step = 0;
    Trained trained;
  };
  struct Checkpoint {
    Model model;
    int64_t step = 0;
    Checker::Closed closed = {};
    std::string point = {};  // of the feed
  };
  struct Process {
    bool running = false;
    bool restarting = false;   // it died, and will run again
    bool begun = false;        // its executor has named the pass, or the end of the feed
    int64_t incarnation = -1;  // of its reader; it does not read with older ones
    int64_t pass = -1;
    int64_t processed = 0;  // rows of the pass that were trained
    int64_t batches = 0;
    std::optional<NextBatch> batch = {};  // trained when all ranks have one, or after some time
  };

  int ranks() const { return static_cast<int>(processes_.size()); }

  void Form(int ranks);
  void StartProcesses();
  void StartProcess(int rank);
  void TryNext(int rank);
  void FinishPass(int rank);
  void CheckOthers(int rank);
  void StepTogether();
  void Train(int rank);
  void AfterStep();
  void SaveCheckpoint();
  void Publish(const Checkpoint& checkpoint, int64_t generation);
  void PlanFaults();
  // returns: it restarts; otherwise it may be gone for good.
  void RankDies(int rank, bool returns = false);
  void RestartAll();
  void FinishIfDone();

  World& world_;
  SimAm& am_;
  Checker& checker_;
  std::vector<std::unique_ptr<Executor>> executors_;  // by rank
  std::vector<std::unique_ptr<Executor>> gone_;       // scheduled actions refer to them
  std::vector<Process> processes_;
  Model model_;
  std::optional<Checkpoint> visible_;  // the newest complete checkpoint
  int64_t generation_ = -1;
  bool formed_ = false;  // the processes of the generation run
  bool finished_ = false, failed_ = false, saving_ = false;
  // Each occurs once: all have read all passes; a rank has restarted alone, although all must restart together.
  bool read_to_the_end_ = false, restarted_alone_ = false;
  int refused_ = 0;                 // how often the AM has not accepted a reader (SimAm::Peers::Fail)
  std::optional<Checkpoint> late_;  // complete, not visible yet: of an earlier generation
  bool shown_late_ = false;         // such a checkpoint was visible: the log may not have its step
  int earlier_jobs_ = 0;            // whose checkpoints were continued
  int64_t last_pass_ = 0;
  OwnCheckpoints own_checkpoints_;
};

}  // namespace howdah::testing::feed_sim
