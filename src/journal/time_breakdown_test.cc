#include "howdah/journal/time_breakdown.h"

#include <gtest/gtest.h>

#include "test_entries.h"

namespace howdah::journal {
namespace {

using core::JobState;
using core::TaskState;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

// Builds the journal of a job, entry by entry.
class BreakdownStory {
 public:
  explicit BreakdownStory(int workers = 1) { view.Apply(Submitted(0, {{"worker", workers}})); }

  void Job(int at, JobType type, JobState state, int generation = 0, const std::string& reason = "") {
    auto change = JobChange(type, state);
    change.generation = generation;
    change.reason = reason;
    view.Apply({At(at), change});
  }
  void Task(int at, TaskType type, TaskState state, int index = 0) {
    view.Apply({At(at), TaskChange(type, "worker", index, state)});
  }
  void Start(int at, int attempt, int generation) {
    auto change = TaskChange(TaskType::kStarted, "worker", 0, TaskState::kRunning);
    change.attempt = attempt;
    change.generation = generation;
    view.Apply({At(at), change});
  }
  void Progress(int at, int step, std::optional<int> checkpoint_at = std::nullopt) {
    auto change = TaskChange(TaskType::kProgressed, "worker", 0, TaskState::kRunning);
    change.progress = core::TaskProgress{.step = step, .at = At(at)};
    if (checkpoint_at) change.progress->checkpoint = step;
    if (checkpoint_at) change.progress->checkpoint_at = At(*checkpoint_at);
    view.Apply({At(at), change});
  }
  // Starts the job: submitted at 0 s; AM at 2 s, container at 5 s, executor at 9 s, process at 10 s.
  void Up() {
    Job(2, JobType::kAmStarted, JobState::kStarting);
    Task(5, TaskType::kAllocated, TaskState::kAllocated);
    Task(9, TaskType::kReady, TaskState::kReady);
    Start(10, 0, 0);
    Job(10, JobType::kRunning, JobState::kRunning);
  }
  void Recover(int at, int again_at, int generation, const std::string& why) {
    Job(at, JobType::kRecovering, JobState::kRecovering, generation, why);
    Job(again_at, JobType::kRunning, JobState::kRunning, generation);
  }

  // The seconds of queue, localization, start, rendezvous, running, lost and recovering, in this order.
  std::vector<int> Times(int now) const {
    std::vector<int> times;
    for (size_t i = 0; i < static_cast<size_t>(Spent::kCount); ++i) {
      times.push_back(
          static_cast<int>(view.time_breakdown.Of(static_cast<Spent>(i), At(now)) / std::chrono::seconds(1)));
    }
    return times;
  }
  JobView view;
};
using Times = std::vector<int>;

TEST(TimeBreakdown, JobWithoutRestartsAndStepsCountsEachPhaseOnce) {
  BreakdownStory story;
  EXPECT_EQ(story.Times(3), (Times{3, 0, 0, 0, 0, 0, 0}));
  story.Up();
  EXPECT_EQ(story.Times(30), (Times{5, 4, 1, 0, 20, 0, 0}));
  EXPECT_EQ(story.view.time_breakdown.phase(), Spent::kRunning);
  story.Job(40, JobType::kFinished, JobState::kSucceeded);
  EXPECT_EQ(story.Times(99), (Times{5, 4, 1, 0, 30, 0, 0}));
  EXPECT_EQ(story.view.time_breakdown.phase(), std::nullopt);
  EXPECT_EQ(story.view.time_breakdown.Text(At(99)), "queue 5.0s, localization 4.0s, start 1.0s, running 30.0s");
}

TEST(TimeBreakdown, GangIsQueuedUntilItsLastContainer) {
  BreakdownStory story(2);
  story.Job(2, JobType::kAmStarted, JobState::kStarting);
  story.Task(3, TaskType::kAllocated, TaskState::kAllocated, 0);
  story.Task(4, TaskType::kReady, TaskState::kReady, 0);
  story.Task(8, TaskType::kAllocated, TaskState::kAllocated, 1);
  story.Task(9, TaskType::kReady, TaskState::kReady, 1);
  EXPECT_EQ(story.Times(10), (Times{8, 1, 1, 0, 0, 0, 0}));
}

TEST(TimeBreakdown, WaitingForFilesOfTheWorkingDirectoryIsLocalization) {
  for (const int filling : {0, 2, 3, 99}) {
    BreakdownStory story;
    story.Job(2, JobType::kAmStarted, JobState::kStarting);
    story.Task(5, TaskType::kAllocated, TaskState::kAllocated);
    story.Task(7, TaskType::kReady, TaskState::kReady);
    auto started = TaskChange(TaskType::kStarted, "worker", 0, TaskState::kRunning);
    started.filling = std::chrono::seconds(filling);
    story.view.Apply({At(10), started});
    story.Job(10, JobType::kRunning, JobState::kRunning);
    const int filled = std::min(filling, 3);
    EXPECT_EQ(story.Times(20), (Times{5, 2 + filled, 3 - filled, 0, 10, 0, 0})) << filling;
    // A later start moves no time of earlier phases.
    story.view.Apply({At(20), started});
    EXPECT_EQ(story.Times(20), (Times{5, 2 + filled, 3 - filled, 0, 10, 0, 0})) << filling;
  }
}

TEST(TimeBreakdown, RoleThatWaitsForASetupIsNotCountedAsQueued) {
  JobView view;
  view.Apply(Submitted(0, {{"prepare", 1, false}, {"worker", 2, true}}));
  view.Apply({At(1), JobChange(JobType::kAmStarted, JobState::kStarting)});
  for (const int index : {0, 1}) {
    view.Apply({At(1), TaskChange(TaskType::kPending, "worker", index, TaskState::kPending)});
  }
  view.Apply({At(3), TaskChange(TaskType::kAllocated, "prepare", 0, TaskState::kAllocated)});
  EXPECT_EQ(view.time_breakdown.phase(), Spent::kLocalization);
  view.Apply({At(20), TaskChange(TaskType::kReady, "prepare", 0, TaskState::kReady)});
  view.Apply({At(21), TaskChange(TaskType::kStarted, "prepare", 0, TaskState::kRunning)});
  view.Apply({At(21), JobChange(JobType::kRunning, JobState::kRunning)});
  EXPECT_EQ(view.time_breakdown.Text(At(30)), "queue 3.0s, localization 17.0s, start 1.0s, running 9.0s");
}

TEST(TimeBreakdown, TimeBeforeTheFirstStepIsRendezvousInEachGeneration) {
  BreakdownStory story;
  story.Up();
  story.Progress(13, 1);
  EXPECT_EQ(story.Times(20), (Times{5, 4, 1, 3, 7, 0, 0}));
  story.Recover(20, 22, 1, "worker:0 failed");
  story.Progress(24, 1);
  EXPECT_EQ(story.Times(30), (Times{5, 4, 1, 5, 13, 0, 2}));
}

TEST(TimeBreakdown, PlainJobHasNoRendezvous) {
  BreakdownStory story;
  story.view.framework = "plain";
  story.Up();
  story.Progress(13, 1);
  EXPECT_EQ(story.Times(20), (Times{5, 4, 1, 0, 10, 0, 0}));
}

TEST(TimeBreakdown, TimeSinceTheLastCheckpointIsLost) {
  BreakdownStory story;
  story.Up();
  story.Progress(11, 1);
  story.Progress(20, 10, 19);
  story.Recover(30, 33, 1, "worker:0 failed with exit code 7");
  EXPECT_EQ(story.Times(33), (Times{5, 4, 1, 1, 8, 11, 3}));
  story.Progress(34, 11);
  story.Recover(50, 51, 2, "worker:0 failed again");  // this generation has no checkpoint, so all its work is lost
  EXPECT_EQ(story.Times(51), (Times{5, 4, 1, 2, 8, 27, 4}));
  story.Job(60, JobType::kFinished, JobState::kKilled);
  EXPECT_EQ(story.Times(60), (Times{5, 4, 1, 2, 8, 36, 4}));
  ASSERT_EQ(story.view.time_breakdown.restarts(), 2);
  const auto& first = story.view.time_breakdown.newest_restarts()[0];
  EXPECT_EQ(first.generation, 1);
  EXPECT_EQ(first.cause, "worker:0 failed with exit code 7");
  EXPECT_EQ(first.lost, std::chrono::seconds(11));
  EXPECT_EQ(first.recovering, std::chrono::seconds(3));
}

TEST(TimeBreakdown, CheckpointWithinTheGraceReducesTheLoss) {
  BreakdownStory story;
  story.Up();
  story.Progress(11, 1);
  story.Progress(15, 5, 15);
  story.Job(30, JobType::kRecovering, JobState::kRecovering, 0, "worker was scaled");
  EXPECT_EQ(story.Times(30)[5], 15);
  story.Progress(31, 19, 22);  // reported late, at the end of the attempt
  EXPECT_EQ(story.Times(31)[5], 8);
  story.Progress(32, 20, 32);
  EXPECT_EQ(story.Times(32), (Times{5, 4, 1, 1, 19, 0, 2}));
}

// Work that exists only in the memory of rejoining tasks is not lost until these tasks are lost.
TEST(TimeBreakdown, RejoiningTasksAddNothingToTheLostTime) {
  BreakdownStory story;
  story.Up();
  story.Progress(10, 1);
  story.Progress(15, 5, 15);
  const auto rejoin = [&](int at, int again_at, int generation) {
    story.Job(at, JobType::kRecovering, JobState::kRecovering, generation, "worker:1 was killed");
    story.Task(again_at, TaskType::kRejoined, TaskState::kRunning);
    story.Job(again_at, JobType::kRunning, JobState::kRunning, generation);
    story.Progress(again_at, 6);
  };
  rejoin(30, 32, 1);
  EXPECT_EQ(story.Times(32), (Times{5, 4, 1, 0, 20, 0, 2}));
  EXPECT_EQ(story.view.time_breakdown.newest_restarts()[0].lost, Duration());
  rejoin(40, 41, 2);
  EXPECT_EQ(story.Times(41), (Times{5, 4, 1, 0, 28, 0, 3}));
  story.Recover(50, 51, 3, "its application master died");
  EXPECT_EQ(story.Times(51), (Times{5, 4, 1, 0, 5, 32, 4})) << "15 to 50, without the time between";
  EXPECT_EQ(story.view.time_breakdown.newest_restarts()[2].lost, std::chrono::seconds(32));
  story.Progress(51, 7);
  story.Progress(55, 9, 55);
  rejoin(60, 61, 4);
  story.Job(70, JobType::kFinished, JobState::kFailed);
  EXPECT_EQ(story.Times(70), (Times{5, 4, 1, 0, 9, 46, 5})) << "5 and 9 more, after the last checkpoint";
}

TEST(TimeBreakdown, LossIsUnknownWithoutCheckpoints) {
  BreakdownStory story;
  story.Up();
  story.Recover(20, 21, 1, "worker:0 failed");
  EXPECT_EQ(story.Times(25), (Times{5, 4, 1, 0, 14, 0, 1}));
  EXPECT_NE(story.view.time_breakdown.ToJson().find(R"("lost_seconds":null)"), std::string::npos);
}

TEST(TimeBreakdown, RestartedAmCountsAsRecovering) {
  BreakdownStory story;
  story.Up();
  auto restarted = JobChange(JobType::kAmStarted, JobState::kStarting);
  restarted.am_attempt = 1;
  restarted.generation = 1;
  story.view.Apply({At(20), restarted});
  story.Task(21, TaskType::kPending, TaskState::kPending);
  story.Job(25, JobType::kRunning, JobState::kRunning, 1);
  EXPECT_EQ(story.Times(30), (Times{5, 4, 1, 0, 15, 0, 5}));
  EXPECT_EQ(story.view.time_breakdown.newest_restarts()[0].cause, "the application master started again");
}

// Every moment belongs to exactly one bucket, whatever the journal contains.
TEST(TimeBreakdown, SumOfBucketsIsTheWallTime) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomChanges changes(seed);
    BreakdownStory story(3);
    int now = 0;
    for (int i = 0; i < 60 && !core::IsFinal(story.view.state); ++i) {
      core::JournalEntry entry = changes.Next();
      if (std::holds_alternative<core::JobSubmitted>(entry.change)) continue;
      entry.time = At(now += changes.Number(0, 5));
      story.view.Apply(entry);
      Duration sum{};
      for (size_t what = 0; what < static_cast<size_t>(Spent::kCount); ++what) {
        const Duration time = story.view.time_breakdown.Of(static_cast<Spent>(what), entry.time);
        ASSERT_GE(time, Duration::zero()) << seed << " " << ToText(static_cast<Spent>(what));
        sum += time;
      }
      ASSERT_EQ(sum, entry.time - At(0)) << seed;
    }
  }
}

TEST(TimeBreakdown, BreakdownWithoutJournalIsEmpty) {
  EXPECT_EQ(TimeBreakdown().Text(At(0)), "");
  EXPECT_EQ(TimeBreakdown().ToJson(), "null");
  for (const char* text : {"null", "[]", "{}", "x", R"({"until": 5})"})
    EXPECT_TRUE(TimeBreakdown::FromJson(text).empty());
}

TEST(TimeBreakdown, RestartsOfSingleTasksAreCounted) {
  BreakdownStory story;
  story.Up();
  story.Start(20, 1, 0);
  EXPECT_EQ(story.view.time_breakdown.Text(At(30)),
            "queue 5.0s, localization 4.0s, start 1.0s, running 20.0s; 1 restart of a single task");
  story.Start(21, 2, 0);
  story.Recover(30, 31, 1, "worker:0 failed");
  story.Start(31, 3, 1);  // not counted, because it starts with a new generation
  EXPECT_EQ(story.view.time_breakdown.task_restarts(), 2);
  EXPECT_EQ(story.view.time_breakdown.restarts(), 1);
  EXPECT_EQ(TimeBreakdown::FromJson(story.view.time_breakdown.ToJson()).task_restarts(), 2);
  EXPECT_TRUE(story.view.time_breakdown.Text(At(40)).find("; 1 restart, plus 2 of single tasks") != std::string::npos);
}

}  // namespace
}  // namespace howdah::journal
