// Tests of the simulator itself: the properties on which the reliability of its results depends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "backend.h"
#include "howdah/base/random.h"
#include "howdah/base/schedule.h"
#include "howdah/testing/sim/channel.h"
#include "howdah/testing/sim/coverage.h"
#include "howdah/testing/sim/faults.h"
#include "howdah/testing/sim/run_seed.h"
#include "howdah/testing/sim/workload.h"
#include "journal_fold.h"
#include "world.h"

namespace howdah::testing::sim {
namespace {

using core::JobChanged;
using core::JobState;
using core::TaskChanged;
using core::TaskState;
using std::chrono::seconds;

TEST(Random, EqualSeedsGiveEqualSequences) {
  Random a(7), b(7), c(8);
  EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(a.Next(), c.Next());
}

TEST(Random, BoundsAreInclusive) {
  Random random(1);
  std::set<int> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(random.Between(2, 4));
  EXPECT_EQ(drawn, (std::set<int>{2, 3, 4}));
  EXPECT_FALSE(random.Chance(0));
  EXPECT_TRUE(random.Chance(1));
}

TEST(Schedule, ActionsRunByTimeThenByOrder) {
  Schedule schedule;
  std::string order;
  const Instant start = schedule.now();
  schedule.After(seconds(2), [&] { order += 'c'; });
  schedule.After(seconds(1), [&] {
    order += 'a';
    schedule.At(start, [&] { order += 'b'; });  // a time in the past is treated as the current time
  });
  while (schedule.RunOne()) {
  }
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(schedule.now(), start + seconds(2));
}

TEST(Channel, KeepsTheOrderOfMessages) {
  Channel channel;
  const Instant now{seconds(100)};
  EXPECT_EQ(channel.Arrival(now, seconds(5)), now + seconds(5));
  EXPECT_EQ(channel.Arrival(now, seconds(1)), now + seconds(5));
  channel.HoldUntil(now + seconds(9));
  EXPECT_EQ(channel.Arrival(now, seconds(1)), now + seconds(9));
}

TEST(JournalFold, OnlyPermittedTransitionsAreAccepted) {
  struct Row {
    const char* what;
    std::vector<core::Change> changes;
    const char* wrong;  // the expected violation by the last change; empty if none is expected
  };
  const auto task = [](TaskChanged::Type type, TaskState state, int attempt = 0) {
    return TaskChanged{.type = type, .role = "worker", .index = 1, .state = state, .attempt = attempt};
  };
  const auto job = [](JobState state) { return JobChanged{.state = state}; };
  const core::Change pending = task(TaskChanged::Type::kPending, TaskState::kPending);
  const core::Change allocated = task(TaskChanged::Type::kAllocated, TaskState::kAllocated);
  const Row rows[] = {
      {"a task is created", {pending}, ""},
      {"a change before the creation", {allocated}, "worker:1 changed before it was pending"},
      {"one step", {pending, allocated}, ""},
      {"a skipped state",
       {pending, task(TaskChanged::Type::kStarted, TaskState::kRunning)},
       "worker:1 went from PENDING to RUNNING"},
      {"a lower attempt number",
       {pending, task(TaskChanged::Type::kPending, TaskState::kPending, 1), pending},
       "the attempt of worker:1 went back"},
      {"the job starts", {job(JobState::kStarting), job(JobState::kRunning)}, ""},
      {"the job skips a state", {job(JobState::kRunning)}, "the job went from QUEUED to RUNNING"},
      {"an entry after the end",
       {job(JobState::kStarting), job(JobState::kKilled), pending},
       "an entry follows the final state"},
  };
  for (const Row& row : rows) {
    JournalFold fold;
    std::string wrong;
    for (const core::Change& change : row.changes) wrong = fold.Take(change);
    EXPECT_EQ(wrong, row.wrong) << row.what;
  }
}

class Client : public BackendClient {
 public:
  void OnGranted(int role, int node) override {
    granted.push_back(role);
    nodes.push_back(node);
  }
  void OnWaiting(const std::string& reason) override { waiting = reason; }
  void OnRefused(const std::string&) override {}
  void OnNodeLost(int) override {}
  std::vector<int> granted, nodes;
  std::string waiting;
};

World CalmWorld() {
  return World{.schedule = {},
               .random = Random(3),
               .faults = FaultProfiles().front(),
               .faults_end = {},
               .trace = nullptr,
               .coverage = {},
               .violation = {}};
}

void RunAll(World& world) {
  while (world.schedule.RunOne()) {
  }
}

TEST(SimBackend, GangIsGrantedWholeOrNotAtAll) {
  World world = CalmWorld();
  SimBackend backend(world, {.nodes = 2, .slots = 2, .grants_together = true});
  Client first, second;
  backend.Begin({&first, &second});
  backend.Request(&first, {.asks = {{0, 2}, {1, 1}}, .together = true});
  RunAll(world);
  EXPECT_THAT(first.granted, ::testing::UnorderedElementsAre(0, 0, 1));
  backend.Request(&second, {.asks = {{0, 2}}, .together = true});
  RunAll(world);
  EXPECT_THAT(second.granted, ::testing::IsEmpty());
  EXPECT_EQ(second.waiting, "all slots are taken");
  backend.Free(first.nodes[0]);
  RunAll(world);
  EXPECT_THAT(second.granted, ::testing::ElementsAre(0, 0));
}

TEST(SimBackend, CancelledRequestIsNotGranted) {
  World world = CalmWorld();
  SimBackend backend(world, {.nodes = 1, .slots = 4});
  Client client;
  backend.Begin({&client});
  backend.Request(&client, {.asks = {{0, 3}}});
  backend.Cancel(&client);
  RunAll(world);
  EXPECT_THAT(client.granted, ::testing::IsEmpty());
}

TEST(RunSeed, RepeatedRunGivesTheSameDigest) {
  std::set<uint64_t> digests;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SeedResult once = RunSeed(seed);
    const SeedResult again = RunSeed(seed);
    EXPECT_EQ(once.digest, again.digest) << seed;
    EXPECT_EQ(once.coverage, again.coverage) << seed;
    digests.insert(once.digest);
  }
  EXPECT_GT(digests.size(), 15u) << "seeds differ";
}

TEST(RunSeed, TraceDoesNotChangeTheDigest) {
  std::vector<std::string> lines;
  const SeedResult traced = RunSeed(5, [&lines](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(traced.digest, RunSeed(5).digest);
  EXPECT_THAT(lines, ::testing::Contains(::testing::HasSubstr("AmStarted")));
}

TEST(Tables, EveryRowHasItsOwnName) {
  std::set<std::string_view> names;
  for (const Faults& faults : FaultProfiles()) EXPECT_TRUE(names.insert(faults.name).second) << faults.name;
  for (const WorkloadKind& kind : WorkloadKinds()) EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    EXPECT_TRUE(names.insert(ToText(static_cast<Situation>(i))).second) << i;
  }
}

TEST(Workloads, EveryKindIsAValidJob) {
  Random random(11);
  for (const WorkloadKind& kind : WorkloadKinds()) {
    for (int i = 0; i < 20; ++i) {
      const Workload workload = kind.make(random);
      const size_t roles = workload.spec.roles.size();
      EXPECT_EQ(workload.behaviour.size(), roles) << kind.name;
      EXPECT_EQ(workload.rules.restarts_together.size(), roles) << kind.name;
      bool has_worker = false;
      for (const jobspec::RoleSpec& role : workload.spec.roles) has_worker |= role.kind == jobspec::RoleKind::kWorker;
      EXPECT_TRUE(has_worker) << kind.name;
    }
  }
}

}  // namespace
}  // namespace howdah::testing::sim
