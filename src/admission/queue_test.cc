#include "howdah/admission/queue.h"

#include <gmock/gmock.h>

#include <random>

namespace howdah::admission {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Instant kNow{std::chrono::hours(1'000'000 / 24)};
constexpr int64_t kGib = 1024;

Resources Of(int64_t gib, int64_t vcores, int64_t gpus = 0) { return {gib * kGib, vcores, gpus, {}}; }

// A cluster of equal nodes, whose jobs are submitted one second after the other.
class Scene {
 public:
  Scene(int nodes, const Resources& each) {
    for (int i = 1; i <= nodes; ++i) cluster.nodes.push_back({"n" + std::to_string(i), each, each});
  }

  // A waiting job whose AM runs on a node, if one is named.
  Job& Waits(int64_t count, const Resources& each, const std::string& am_node = "") {
    Job& job = Add();
    job.demand.tasks = {{count, each}};
    job.am_size = Of(1, 1);
    if (am_node.empty()) return job;
    job.am = {am_node, job.am_size};
    job.may_step_aside = true;
    NodeOf(am_node).free -= job.am_size;
    return job;
  }
  // A job whose AM needs no room, for cases that are about tasks.
  Job& WaitsWithoutAm(int64_t count, const Resources& each) {
    Job& job = Waits(count, each);
    job.am_size = {};
    return job;
  }
  Job& Runs(const std::string& node, const Resources& held, std::optional<Duration> left = std::nullopt) {
    Job& job = Add();
    job.complete = kNow - minutes(1);
    if (left) job.demand.run = minutes(1) + *left;
    job.held[node] = held;
    NodeOf(node).free -= held;
    return job;
  }

  // "j1 next", "j2 waits", in the order of the queue.
  std::vector<std::string> Turns() const {
    std::vector<std::string> turns;
    for (const Place& place : Order(cluster, kNow))
      turns.push_back(place.id + " " + kNames[static_cast<int>(place.turn)]);
    return turns;
  }
  std::string Reason(const std::string& id) const { return ReasonText(cluster, Order(cluster, kNow), id); }

  Cluster cluster;

 private:
  static constexpr const char* kNames[] = {"next", "fits", "backfills", "waits", "steps aside", "too large"};

  Job& Add() {
    Job& job = cluster.jobs.emplace_back();
    const size_t number = cluster.jobs.size();
    job.id = "j" + std::to_string(number);
    job.user = "ann";
    job.queue = "ml";
    job.submitted = kNow - minutes(10) + seconds(number);
    return job;
  }
  Node& NodeOf(const std::string& name) {
    return *std::ranges::find_if(cluster.nodes, [&](const Node& node) { return node.name == name; });
  }
};

TEST(Queue, PriorityCountsBeforeTheTimeOfSubmission) {
  Scene scene(1, Of(8, 8));
  for (int i = 0; i < 3; ++i) scene.WaitsWithoutAm(1, Of(6, 1));
  scene.cluster.jobs[2].priority = 5;
  EXPECT_THAT(scene.Turns(), ElementsAre("j3 next", "j1 waits", "j2 waits"));
}

TEST(Queue, JobsRequestTheirGangsIfTheseFitBesideThoseAhead) {
  Scene scene(2, Of(8, 8));
  scene.WaitsWithoutAm(2, Of(4, 1));
  scene.WaitsWithoutAm(1, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(1, 1));
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 fits", "j3 waits"));
}

TEST(Queue, SmallJobsDoNotOvertakeALargeOneAgainAndAgain) {
  Scene scene(2, Of(8, 8));
  scene.Runs("n1", Of(4, 1));
  scene.WaitsWithoutAm(2, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(4, 1));
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 waits")) << "the free half of n1 is reserved, too";
}

TEST(Queue, RoomThatTheJobAheadCannotUseIsNotReserved) {
  Scene scene(2, Of(10, 8));
  scene.Runs("n1", Of(5, 1));
  scene.WaitsWithoutAm(1, Of(8, 1));
  scene.cluster.jobs.back().demand.tasks = {{2, Of(8, 1)}};
  scene.WaitsWithoutAm(1, Of(2, 1));
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 fits")) << "8 + 2 GiB fit on n1 after its job has ended";
}

TEST(Queue, EveryResourceTypeCounts) {
  Scene scene(1, Of(100, 100, 2));
  scene.cluster.nodes[0].total.others["fpga"] = scene.cluster.nodes[0].free.others["fpga"] = 1;
  scene.WaitsWithoutAm(1, {kGib, 1, 0, {{"fpga", 1}}});
  scene.WaitsWithoutAm(1, {kGib, 1, 0, {{"fpga", 1}}});
  scene.WaitsWithoutAm(2, Of(1, 1, 1));
  scene.WaitsWithoutAm(1, Of(1, 1, 1));
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 waits", "j3 fits", "j4 waits"));
}

TEST(Queue, JobThatCanNeverFitHoldsUpNobody) {
  Scene scene(2, Of(8, 8));
  scene.WaitsWithoutAm(3, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(8, 1));
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 too large", "j2 next"));
  EXPECT_THAT(scene.Reason("j1"), HasSubstr("needs 3 × 8 GiB, 1 vcore, which the nodes of the cluster cannot hold"));
}

TEST(Queue, BackfillEndsBeforeTheJobAheadCouldStart) {
  const struct {
    std::optional<Duration> running_left, own_run;
    const char* expected;
  } cases[] = {
      {minutes(30), minutes(30), "j3 backfills"},
      {minutes(30), minutes(31), "j3 waits"},
      {minutes(30), std::nullopt, "j3 waits"},
      {std::nullopt, minutes(1), "j3 waits"},
  };
  for (const auto& c : cases) {
    Scene scene(1, Of(8, 8));
    scene.Runs("n1", Of(4, 1), c.running_left);
    scene.WaitsWithoutAm(1, Of(8, 1));
    scene.WaitsWithoutAm(1, Of(4, 1)).demand.run = c.own_run;
    EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", c.expected));
  }
}

TEST(Queue, BackfilledJobsTakeTheirRoomOnce) {
  Scene scene(1, Of(8, 8));
  scene.Runs("n1", Of(4, 1), minutes(30));
  scene.WaitsWithoutAm(1, Of(8, 1));
  for (int i = 0; i < 3; ++i) scene.WaitsWithoutAm(1, Of(2, 1)).demand.run = minutes(5);
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 backfills", "j4 backfills", "j5 waits"));
}

TEST(Queue, QueueLimitsHoldUpOnlyJobsOfThatQueue) {
  Scene scene(4, Of(8, 8));
  scene.cluster.limits.queue["ml"] = Of(8, 100);
  scene.WaitsWithoutAm(2, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(8, 1));
  scene.WaitsWithoutAm(3, Of(8, 1)).queue = "etl";
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 waits", "j3 fits"))
      << "j1 can get one node, so three remain for another queue";
  scene.cluster.jobs[2].demand.tasks[0].count = 4;
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 waits", "j3 waits"));
}

TEST(Queue, UserLimitsCountAsWell) {
  Scene scene(2, Of(8, 8));
  scene.cluster.limits.user[{"ml", "ann"}] = Of(4, 100);
  scene.WaitsWithoutAm(1, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(8, 1)).user = "bob";
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 fits"));
}

// The observation of the contract: ten jobs on two nodes, whose AMs hold six of eight vcores.
TEST(Queue, LastWaitingApplicationMasterStepsAside) {
  Scene scene(2, Of(12, 4));
  for (int i = 0; i < 6; ++i) scene.Waits(3, Of(1, 1), i % 2 == 0 ? "n1" : "n2");
  for (int i = 0; i < 4; ++i) scene.Waits(3, Of(1, 1));
  const std::vector<std::string> turns = scene.Turns();
  EXPECT_EQ(turns[0], "j1 next");
  EXPECT_EQ(turns[5], "j6 steps aside");
  EXPECT_EQ(std::ranges::count_if(turns, [](const std::string& turn) { return turn.ends_with("steps aside"); }), 1);
  EXPECT_THAT(scene.Reason("j6"), HasSubstr("the application master makes room for the first of them"));
}

TEST(Queue, NoApplicationMasterStepsAsideInVain) {
  Scene scene(1, Of(8, 4));
  scene.Runs("n1", Of(4, 2));
  scene.Waits(2, Of(3, 1), "n1");
  scene.Waits(1, Of(1, 1), "n1");
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 waits")) << "6 GiB are not free even without the AM of j3";
  Scene other(1, Of(8, 4));
  other.Waits(3, Of(1, 1), "n1");
  other.Waits(1, Of(1, 1), "n1").may_step_aside = false;
  EXPECT_THAT(other.Turns(), ElementsAre("j1 next", "j2 waits")) << "it has only one attempt";
}

TEST(Queue, JobThatFillsTheClusterMustHaveRoomForItsOwnApplicationMaster) {
  Scene scene(2, Of(8, 4));
  scene.Waits(8, Of(1, 1), "n1");
  scene.Waits(1, Of(1, 1), "n1");
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 too large", "j2 next"));
}

TEST(Queue, ApplicationMastersOfWaitingJobsKeepTheirRoom) {
  Scene scene(1, Of(8, 8));
  scene.Runs("n1", Of(2, 2));
  scene.Waits(6, Of(1, 1), "n1");  // with its AM, and that of the other job, it fills the node
  scene.Waits(1, Of(1, 1), "n1");
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 waits"));
}

TEST(Queue, JobThatLacksRoomItselfDoesNotFitAlone) {
  Scene scene(1, Of(8, 8, 1));
  scene.Runs("n1", Of(4, 1, 1));
  scene.WaitsWithoutAm(1, Of(8, 1));
  scene.WaitsWithoutAm(1, Of(1, 1));
  scene.WaitsWithoutAm(1, Of(1, 1, 1));
  const std::vector<Place> places = Order(scene.cluster, kNow);
  EXPECT_TRUE(places[1].fits_alone);
  EXPECT_FALSE(places[2].fits_alone) << "the GPU is in use";
}

TEST(Queue, LateApplicationMasterHoldsUpNobodyAndGetsTheShareOfTheLastOne) {
  Scene scene(1, Of(16, 16));
  scene.Runs("n1", Of(8, 8));
  scene.Waits(2, Of(1, 1)).is_late = true;
  scene.Waits(8, Of(1, 1), "n1");
  scene.Waits(8, Of(1, 1), "n1");
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 next", "j4 steps aside"));
  scene.cluster.jobs[3].queue = "etl";
  EXPECT_THAT(scene.Turns(), ElementsAre("j2 next", "j3 next", "j4 waits")) << "it has no part in the share of 'ml'";
}

TEST(Queue, LateJobHoldsUpNobody) {
  Scene scene(1, Of(8, 8));
  scene.WaitsWithoutAm(6, Of(1, 1)).user = "ann";
  scene.WaitsWithoutAm(6, Of(1, 1)).user = "bob";
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 waits"));
  scene.cluster.jobs[0].is_late = true;  // for example because of ann's user limit
  EXPECT_THAT(scene.Turns(), ElementsAre("j1 next", "j2 next"));
}

TEST(Queue, ReasonNamesTheJobsAhead) {
  Scene scene(2, Of(32, 8, 4));
  scene.Runs("n1", Of(4, 1, 3));
  for (int i = 0; i < 5; ++i) scene.WaitsWithoutAm(4, Of(16, 1, 2));
  EXPECT_EQ(scene.Reason("j2"), "");
  EXPECT_EQ(scene.Reason("j3"),
            "1 job is ahead in the queue 'ml': j2 (needs 4 × 16 GiB, 1 vcore, 2 GPUs; waits for 32 GiB, 2 vcores, 4 "
            "GPUs)");
  EXPECT_THAT(scene.Reason("j4"), HasSubstr("2 jobs are ahead in the queue 'ml': j2 (needs "));
  EXPECT_THAT(scene.Reason("j4"), testing::EndsWith(" and j3"));
  EXPECT_THAT(scene.Reason("j6"), testing::EndsWith(" and j3 and 2 more"));
}

// Random clusters: the jobs that may request their gangs fit together, and the answer does not depend on the order in
// which the facts arrive.
TEST(Queue, JobsThatMayRequestFitTogether) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
    Scene scene(static_cast<int>(1 + below(5)), Of(8 + below(8), 8, 4));
    for (int64_t i = below(4); i > 0; --i) {
      const std::string node = scene.cluster.nodes[static_cast<size_t>(below(std::ssize(scene.cluster.nodes)))].name;
      scene.Runs(node, Of(1 + below(3), 1, below(2)), below(2) == 0 ? std::optional(minutes(below(60))) : std::nullopt);
    }
    for (int64_t i = 1 + below(8); i > 0; --i) {
      Job& job = scene.WaitsWithoutAm(1 + below(4), Of(1 + below(6), 1, below(2)));
      job.priority = static_cast<int>(below(2));
      if (below(2) == 0) job.demand.run = minutes(below(60));
    }
    const std::vector<Place> places = Order(scene.cluster, kNow);
    Resources wanted, free;
    int first = 0;
    for (const Place& place : places) {
      first += place.turn == Turn::kNext ? 1 : 0;
      const bool starts = place.turn == Turn::kFits || place.turn == Turn::kBackfills ||
                          (place.turn == Turn::kNext && place.lacks == Resources());
      const auto job = std::ranges::find_if(scene.cluster.jobs, [&](const Job& j) { return j.id == place.id; });
      if (starts) wanted += job->demand.tasks[0].each * job->demand.tasks[0].count;
    }
    for (const Node& node : scene.cluster.nodes) free += node.free;
    EXPECT_TRUE(Fits(wanted, free)) << "seed " << seed;
    EXPECT_LE(first, 1) << "seed " << seed;
    Cluster shuffled = scene.cluster;
    std::ranges::shuffle(shuffled.jobs, random);
    const std::vector<Place> again = Order(shuffled, kNow);
    ASSERT_EQ(again.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(again[i].id, places[i].id) << "seed " << seed;
      EXPECT_EQ(again[i].turn, places[i].turn) << "seed " << seed << " " << places[i].id;
    }
  }
}

}  // namespace
}  // namespace howdah::admission
