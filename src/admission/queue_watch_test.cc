#include "howdah/admission/queue_watch.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace howdah::admission {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kBegin{std::chrono::hours(400'000)};
const Resources kTask{1024, 1, 0, {}};

Instant At(Duration after) { return kBegin + after; }

// One node for eight tasks.
Cluster Machine() {
  Cluster cluster;
  cluster.nodes.push_back({"n1", kTask * 8, kTask * 8});
  return cluster;
}

Job Waiting(const std::string& id, int64_t tasks) {
  Job job;
  job.id = id;
  job.queue = "ml";
  job.submitted = kBegin;
  job.demand.tasks = {{tasks, kTask}};
  job.am_size = kTask;
  return job;
}

// Adds a waiting job whose AM runs on the node.
void AddWithAm(Cluster& cluster, const std::string& id, int64_t tasks) {
  Job job = Waiting(id, tasks);
  job.am = AmContainer{"n1", kTask};
  job.may_step_aside = true;
  cluster.nodes[0].free -= kTask;
  cluster.jobs.push_back(std::move(job));
}

Turn TurnOf(const std::vector<Place>& places, const std::string& id) {
  return std::ranges::find_if(places, [&](const Place& place) { return place.id == id; })->turn;
}

TEST(QueueWatch, PausesGrowWithTheQueueAndTheCluster) {
  EXPECT_EQ(PauseBetweenLooks(1, 10), seconds(2));
  EXPECT_EQ(PauseBetweenLooks(200, 10), seconds(10));
  EXPECT_EQ(PauseBetweenLooks(1, 10'000), seconds(5));
}

TEST(QueueWatch, ApplicationMasterStepsAsideLessAndLessOften) {
  EXPECT_EQ(PauseBeforeStep(1), Duration(0));
  EXPECT_EQ(PauseBeforeStep(2), seconds(30));
  EXPECT_EQ(PauseBeforeStep(4), minutes(2));
  EXPECT_EQ(PauseBeforeStep(7), minutes(10));
  EXPECT_EQ(PauseBeforeStep(1000), minutes(10));
}

TEST(QueueWatch, RunningJobIsCompleteSinceTheLookThatFirstShowedIt) {
  QueueWatch watch;
  const auto look = [&](Duration after, std::optional<Duration> launched) {
    Cluster cluster = Machine();
    cluster.jobs.push_back(Waiting("j1", 1));
    if (launched) cluster.jobs[0].complete = At(*launched);
    watch.Look(cluster, At(after));
    return cluster.jobs[0].complete;
  };
  look(seconds(0), std::nullopt);
  EXPECT_EQ(look(seconds(5), -minutes(50)), At(seconds(5))) << "its AM was launched long before";
  EXPECT_EQ(look(seconds(60), -minutes(50)), At(seconds(5)));
  Cluster empty = Machine();
  watch.Look(empty, At(minutes(2)));
  EXPECT_EQ(look(minutes(3), minutes(2)), At(minutes(2))) << "the watch has not seen it wait";
}

TEST(QueueWatch, NewObserverLetsNoJobBackfillPastTheEndOfARunningJob) {
  const auto turn = [](Duration run) {
    Cluster cluster = Machine();
    Job running = Waiting("j1", 4);
    running.demand.run = minutes(60);
    running.complete = At(-minutes(50));
    running.held["n1"] = kTask * 4;
    cluster.nodes[0].free -= kTask * 4;
    cluster.jobs.push_back(running);
    AddWithAm(cluster, "j2", 6);
    AddWithAm(cluster, "j3", 1);
    cluster.jobs.back().demand.run = run;
    return TurnOf(QueueWatch().Look(cluster, kBegin), "j3");
  };
  EXPECT_EQ(turn(minutes(10)), Turn::kBackfills) << "j1 ends in ten minutes";
  EXPECT_EQ(turn(minutes(60)), Turn::kWaits);
}

TEST(QueueWatch, JobWhoseApplicationMasterIsNotStartedHoldsUpOthersForHalfAMinute) {
  QueueWatch watch;
  const auto look = [&](Duration after) {
    Cluster cluster = Machine();
    cluster.jobs.push_back(Waiting("j1", 4));
    AddWithAm(cluster, "j2", 5);
    return TurnOf(watch.Look(cluster, At(after)), "j2");
  };
  EXPECT_EQ(look(seconds(0)), Turn::kWaits);
  EXPECT_EQ(look(seconds(29)), Turn::kWaits);
  EXPECT_EQ(look(seconds(30)), Turn::kNext);
}

TEST(QueueWatch, LateJobHoldsUpOthersAgainWhenItLacksRoom) {
  QueueWatch watch;
  const auto look = [&](Duration after, int64_t free) {
    Cluster cluster = Machine();
    AddWithAm(cluster, "j1", 4);
    AddWithAm(cluster, "j2", 4);
    cluster.nodes[0].free = kTask * free;
    return TurnOf(watch.Look(cluster, At(after)), "j2");
  };
  EXPECT_EQ(look(seconds(0), 6), Turn::kWaits);
  EXPECT_EQ(look(seconds(30), 6), Turn::kNext) << "nothing that is known prevents j1 from starting";
  EXPECT_EQ(look(seconds(32), 2), Turn::kNext) << "j1 was late until this look";
  EXPECT_EQ(look(seconds(34), 2), Turn::kWaits);
}

TEST(QueueWatch, AnotherApplicationMasterIsAskedIfTheLastOneDoesNotStepAside) {
  QueueWatch watch;
  const auto look = [&](Duration after) {
    Cluster cluster = Machine();
    AddWithAm(cluster, "j1", 6);  // lacks one vcore
    AddWithAm(cluster, "j2", 6);
    AddWithAm(cluster, "j3", 6);
    return watch.Look(cluster, At(after));
  };
  EXPECT_EQ(TurnOf(look(seconds(0)), "j3"), Turn::kStepsAside);
  EXPECT_EQ(TurnOf(look(milliseconds(9'999)), "j3"), Turn::kStepsAside);
  const auto later = look(seconds(10));
  EXPECT_EQ(TurnOf(later, "j3"), Turn::kWaits);
  EXPECT_EQ(TurnOf(later, "j2"), Turn::kStepsAside);
  EXPECT_EQ(TurnOf(look(minutes(2)), "j3"), Turn::kStepsAside) << "it is asked again";
}

}  // namespace
}  // namespace howdah::admission
