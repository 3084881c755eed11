#include "howdah/journal/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "test_entries.h"

namespace howdah::journal {
namespace {

using core::JobState;
using core::TaskState;
using ContainerType = core::ContainerChanged::Type;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

constexpr int64_t kGib = int64_t{1} << 30;
constexpr size_t kBuckets = static_cast<size_t>(Bucket::kCount);

core::ContainerChanged Granted(const std::string& id, const core::Resources& resources) {
  return {.type = ContainerType::kGranted, .container = id, .node = "node7", .granted = resources};
}

core::ContainerChanged Released(const std::string& id) { return {.type = ContainerType::kReleased, .container = id}; }

Held SumOfBuckets(const Ledger& ledger) {
  Held sum;
  for (size_t i = 0; i < kBuckets; ++i) sum += ledger.Of(static_cast<Bucket>(i));
  return sum;
}

// Builds the journal of a job, entry by entry.
class Story {
 public:
  explicit Story(int workers = 1, Days days = {}, Window window = {}) : ledger(std::move(days), window) {
    ledger.Take(Submitted(0, {{"worker", workers}}));
  }

  void Take(int at, core::Change change) { ledger.Take({At(at), std::move(change)}); }
  void Job(int at, JobType type, JobState state, int generation = 0) {
    core::JobChanged change = JobChange(type, state);
    change.generation = generation;
    Take(at, change);
  }
  void Task(int at, TaskType type, TaskState state, int index = 0, const std::string& container = "") {
    core::TaskChanged change = TaskChange(type, "worker", index, state);
    if (!container.empty()) change.container = container;
    Take(at, change);
  }
  void Allocate(int at, int index, const std::string& id, const core::Resources& resources) {
    Take(at, Granted(id, resources));
    Task(at, TaskType::kAllocated, TaskState::kAllocated, index, id);
  }
  void Start(int at, int index = 0, int generation = 0) {
    core::TaskChanged change = TaskChange(TaskType::kStarted, "worker", index, TaskState::kRunning);
    change.generation = generation;
    Take(at, change);
  }
  void Progress(int at, int step, std::optional<int> checkpoint_at = std::nullopt) {
    core::TaskChanged change = TaskChange(TaskType::kProgressed, "worker", 0, TaskState::kRunning);
    change.progress = core::TaskProgress{.step = step, .at = At(at)};
    if (checkpoint_at) change.progress->checkpoint = step;
    if (checkpoint_at) change.progress->checkpoint_at = At(*checkpoint_at);
    Take(at, change);
  }
  // Submitted at 0 s; AM at 2 s, container at 5 s, executor at 9 s, process at 10 s.
  void Up(const core::Resources& resources = {kGib, 2, 1}) {
    Job(2, JobType::kAmStarted, JobState::kStarting);
    Allocate(5, 0, "c0", resources);
    Task(9, TaskType::kReady, TaskState::kReady);
    Start(10);
    Job(10, JobType::kRunning, JobState::kRunning);
  }
  void End(int at, JobState state = JobState::kSucceeded) { Job(at, JobType::kFinished, state); }

  // The vcore-seconds of each bucket: waiting, localization, start, rendezvous, useful, lost, recovering, tail.
  std::vector<int64_t> Vcores() const {
    std::vector<int64_t> seconds;
    for (size_t i = 0; i < kBuckets; ++i) {
      seconds.push_back(static_cast<int64_t>(ledger.Of(static_cast<Bucket>(i)).vcores / 1'000'000));
    }
    return seconds;
  }

  Ledger ledger;
};

using Seconds64 = std::vector<int64_t>;

TEST(Ledger, ContainerCountsInTheBucketOfTheJob) {
  Story story;
  story.Up();
  story.Progress(16, 1);
  story.Task(40, TaskType::kExited, TaskState::kSucceeded);
  story.Take(43, Released("c0"));
  story.End(44);
  //                                  waiting, localization, start, rendezvous, useful, lost, recovering, tail
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 2 * 4, 2 * 1, 2 * 6, 2 * 24, 0, 0, 2 * 3}));
  EXPECT_EQ(story.ledger.Total().vcores, ResourceTime{2} * 38'000'000);
  EXPECT_EQ(story.ledger.Total().gpus, ResourceTime{38'000'000});
  EXPECT_EQ(story.ledger.Total().memory, ResourceTime{kGib} * 38'000'000);
  EXPECT_EQ(story.ledger.Wall(Bucket::kUseful), std::chrono::seconds(28)) << "until the end of the job";
  EXPECT_EQ(Goodput(story.ledger.Of(Bucket::kUseful), story.ledger.Total()), 24.0 / 38);
}

TEST(Ledger, ContainersHeldForAnIncompleteGangCountAsWaiting) {
  Story story(/*workers=*/2);
  story.Job(1, JobType::kAmStarted, JobState::kStarting);
  story.Allocate(5, 0, "c0", {kGib, 1, 0});
  story.Allocate(25, 1, "c1", {kGib, 1, 0});
  story.End(30, JobState::kKilled);
  EXPECT_EQ(story.Vcores(), (Seconds64{20, 10, 0, 0, 0, 0, 0, 0}));
}

TEST(Ledger, SurplusContainerCounts) {
  Story story;
  story.Up();
  story.Take(20, Granted("surplus", {0, 8, 0}));
  story.Take(21, Released("surplus"));
  story.End(30);
  EXPECT_EQ(story.ledger.Of(Bucket::kUseful).vcores + story.ledger.Of(Bucket::kRendezvous).vcores,
            ResourceTime{8 + 2 * 20} * 1'000'000);
}

TEST(Ledger, WorkSinceTheLastCheckpointIsLostUntilALaterReport) {
  Story story;
  story.Up();
  story.Progress(12, 1, /*checkpoint_at=*/12);
  story.Job(42, JobType::kRecovering, JobState::kRecovering, 1);
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 8, 2, 4, 0, 2 * 30, 0, 0}));
  story.Progress(43, 2, /*checkpoint_at=*/40);
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 8, 2, 4, 2 * 28, 2 * 2, 2, 0}));
  EXPECT_TRUE(story.ledger.knows_lost());
}

TEST(Ledger, NothingIsLostWithoutACheckpoint) {
  Story story;
  story.Up();
  story.Progress(12, 1);
  story.Job(42, JobType::kRecovering, JobState::kRecovering, 1);
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 8, 2, 4, 2 * 30, 0, 0, 0}));
  EXPECT_FALSE(story.ledger.knows_lost());
}

TEST(Ledger, RestartInTheSameContainerCountsAsRecovering) {
  Story story;
  story.Up();
  story.Progress(10, 1);
  story.Task(20, TaskType::kExited, TaskState::kFailed);
  story.Job(20, JobType::kRecovering, JobState::kRecovering, 1);
  story.ledger.AdvanceTo(At(25));
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 8, 2, 0, 2 * 10, 0, 2 * 5, 0})) << "while it recovers";
  story.Start(26, 0, 1);
  story.Job(26, JobType::kRunning, JobState::kRunning, 1);
  story.Progress(26, 1);
  story.Task(36, TaskType::kExited, TaskState::kSucceeded);
  story.Take(37, Released("c0"));
  story.End(37);
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 8, 2, 0, 2 * 20, 0, 2 * 6, 2 * 1}));
}

TEST(Ledger, ContainerOfAFinishedTaskIsTailWhileOthersRun) {
  Story story(/*workers=*/2);
  story.Job(0, JobType::kAmStarted, JobState::kStarting);
  story.Allocate(0, 0, "c0", {0, 1, 0});
  story.Allocate(0, 1, "c1", {0, 1, 0});
  story.Start(0, 0);
  story.Start(0, 1);
  story.Job(0, JobType::kRunning, JobState::kRunning);
  story.Progress(0, 1);
  story.Task(10, TaskType::kExited, TaskState::kSucceeded, 1);
  story.ledger.AdvanceTo(At(30));
  EXPECT_EQ(story.Vcores(), (Seconds64{0, 0, 0, 0, 30 + 10, 0, 0, 20}));
}

TEST(Ledger, ContainerOfTheApplicationMasterCountsFromItsGrant) {
  Story story;
  story.Job(8, JobType::kAmStarted, JobState::kStarting);
  core::ContainerChanged am{.type = ContainerType::kAmGranted, .container = "am1", .granted = core::Resources{0, 1, 0}};
  am.since = At(3);
  story.Take(9, am);
  story.Job(10, JobType::kAmStarted, JobState::kStarting);
  am.container = "am2";
  am.since = At(1);
  story.Take(20, am);  // replaces the first container; the time from 1 s to 20 s does not count twice
  story.End(30, JobState::kKilled);
  EXPECT_EQ(story.Vcores(), (Seconds64{27, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Ledger, GrantTimeOfTheApplicationMasterIsLimitedToTheJob) {
  for (const int since : {-100, 100}) {
    Story story;
    core::ContainerChanged am{
        .type = ContainerType::kAmGranted, .container = "am", .granted = core::Resources{0, 1, 0}, .since = At(since)};
    story.Take(10, am);
    story.End(20, JobState::kKilled);
    EXPECT_EQ(story.Vcores()[0], since < 0 ? 20 : 10);
  }
}

TEST(Ledger, EndOfTheJobReleasesAllContainers) {
  Story story;
  story.Up();
  story.End(30, JobState::kFailed);
  const Held total = story.ledger.Total();
  story.Take(90, Released("c0"));
  story.ledger.AdvanceTo(At(100));
  EXPECT_EQ(story.ledger.Total(), total);
  EXPECT_EQ(total.vcores, ResourceTime{50'000'000});
}

TEST(Ledger, ClockThatIsSetBackAddsNoTime) {
  Story story;
  story.Up();
  story.Progress(30, 1);
  story.Take(20, Granted("c1", {0, 5, 0}));  // counts from 30 s, because the newest entry has that time
  story.Take(25, Released("c1"));
  story.End(40);
  EXPECT_EQ(story.ledger.Total().vcores, ResourceTime{2 * 35} * 1'000'000);
}

TEST(Ledger, HardwareIsUnknownWithoutGrants) {
  Story old;  // a journal of a version that did not record grants
  old.Job(2, JobType::kAmStarted, JobState::kStarting);
  old.Task(5, TaskType::kAllocated, TaskState::kAllocated, 0, "c0");
  old.Start(10);
  old.Job(10, JobType::kRunning, JobState::kRunning);
  old.Take(12, Released("c0"));
  old.Take(13, core::ContainerChanged{.type = ContainerType::kGranted, .container = "c1"});
  old.End(30);
  EXPECT_FALSE(old.ledger.known());
  EXPECT_TRUE(old.ledger.Total().empty());
  EXPECT_EQ(Goodput(old.ledger.Of(Bucket::kUseful), old.ledger.Total()), std::nullopt);
  EXPECT_EQ(old.ledger.busy(), std::nullopt);
}

TEST(Ledger, HardwareIsUnknownWithoutTheSubmission) {
  Ledger ledger;
  ledger.Take({At(3), Granted("c0", {kGib, 1, 1})});
  ledger.Take({At(9), Released("c0")});
  EXPECT_FALSE(ledger.known());
  EXPECT_TRUE(ledger.Total().empty());
}

TEST(Ledger, DamagedAmountsAreLimited) {
  Story story;
  core::Resources damaged{INT64_MAX, -7, 0, {{"fpga", INT64_MIN}}};
  story.Take(0, Granted("c0", damaged));
  story.ledger.AdvanceTo(Instant::max());
  const Held total = story.ledger.Total();
  EXPECT_EQ(total.memory, ResourceTime{kMostGranted} * Duration(std::chrono::days(36'525)).count());
  EXPECT_EQ(total.vcores, 0);
  EXPECT_TRUE(total.others.empty());
}

TEST(Ledger, TimeIsDividedAtMidnight) {
  Story story;
  story.Up({0, 1, 0});
  const int day = 24 * 3600;
  story.Progress(10, 1);
  story.End(2 * day + 7);
  const auto days = story.ledger.days();
  ASSERT_EQ(days.size(), 3u);
  EXPECT_EQ(days[0], std::chrono::local_days(std::chrono::year(2026) / 11 / 21));
  EXPECT_EQ(story.ledger.Total(days[0]).vcores, ResourceTime{day - 5} * 1'000'000);
  EXPECT_EQ(story.ledger.Of(Bucket::kUseful, days[1]).vcores, ResourceTime{day} * 1'000'000);
  EXPECT_EQ(story.ledger.Total(days[2]).vcores, ResourceTime{7} * 1'000'000);
  EXPECT_EQ(story.ledger.Wall(Bucket::kUseful, days[2]), std::chrono::seconds(7));
  EXPECT_TRUE(story.ledger.Total(days[2] + std::chrono::days(1)).empty());
}

TEST(Ledger, OnlyTheWindowCounts) {
  Story story(1, {}, {.since = At(20), .until = At(25)});
  story.Up({0, 1, 0});
  story.Progress(10, 1);
  story.End(30);
  EXPECT_EQ(story.ledger.Total().vcores, ResourceTime{5'000'000});
  EXPECT_EQ(story.ledger.Wall(Bucket::kUseful), std::chrono::seconds(5));
}

TEST(Ledger, BusyIsWeightedByGpusAndTime) {
  Story story(/*workers=*/3);
  story.Allocate(0, 0, "c0", {0, 1, 4});
  story.Allocate(0, 1, "c1", {0, 1, 1});
  story.Allocate(0, 2, "c2", {0, 1, 2});
  for (int i = 0; i < 3; ++i) story.Start(0, i);
  const auto end = [&](int at, int index, std::optional<double> use) {
    core::TaskChanged change = TaskChange(TaskType::kExited, "worker", index, TaskState::kSucceeded);
    change.usage = core::Usage{};
    if (use) change.usage->gpu = core::GpuUse{.utilisation_average = *use};
    story.Take(at, change);
  };
  end(10, 0, 0.5);
  end(20, 1, 1.0);
  EXPECT_EQ(story.ledger.busy(), 0.666667);
  end(30, 2, std::nullopt);  // the use by this attempt is not known
  EXPECT_EQ(story.ledger.busy(), 0.666667);
}

TEST(Ledger, HardwareOnLabelledNodesIsCountedByLabel) {
  Story story;
  story.Take(0, Granted("c0", {.vcores = 1}));
  story.Take(0, Granted("c1", {.vcores = 2, .label = "a100"}));
  story.Take(10, Released("c1"));
  story.End(15, JobState::kKilled);
  const auto days = story.ledger.ByDay();
  ASSERT_EQ(days.size(), 1u);
  const auto& labels = days.begin()->second.labels;
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels.at("a100").vcores, ResourceTime{20'000'000});
  EXPECT_EQ(story.ledger.Total().vcores, ResourceTime{35'000'000});
}

TEST(Ledger, TaskViewHasTheResourcesOfItsContainer) {
  Story story;
  story.Up({3 * kGib, 2, 1});
  EXPECT_EQ(story.ledger.job().tasks[0].granted, (core::Resources{3 * kGib, 2, 1}));
  story.Task(20, TaskType::kPending, TaskState::kPending);
  EXPECT_EQ(story.ledger.job().tasks[0].granted, std::nullopt);
}

// --- random journals

// Makes random entries of one job: tasks, containers, checkpoints, restarts, deaths of the AM, and clocks that are set
// forward and back. Computes the held hardware independently of Ledger.
class RandomJob {
 public:
  RandomJob(unsigned seed, int mean_step) : random_(seed), mean_step_(mean_step) {
    Emit(Submitted(0, {{"worker", 3}}).change);
  }

  void Run(int entries) {
    for (int i = 0; i < entries; ++i) Next();
  }
  void End() {
    Emit(JobChange(JobType::kFinished, Number(0, 1) == 0 ? JobState::kSucceeded : JobState::kFailed));
    for (auto& [id, held] : held_) gone_.push_back({held.first, held.second, now_});
    held_.clear();
  }

  const std::vector<core::JournalEntry>& entries() const { return entries_; }
  Held Expected(Instant since = Instant::min(), Instant until = Instant::max()) const {
    Held sum;
    const auto add = [&](const core::Resources& granted, Instant from, Instant to) {
      from = std::max(from, since), to = std::min(to, until);
      if (from < to) sum += Over(granted, to - from);
    };
    for (const auto& [granted, from, to] : gone_) add(granted, from, to);
    for (const auto& [id, held] : held_) add(held.first, held.second, now_);
    return sum;
  }
  Instant now() const { return now_; }

 private:
  struct Gone {
    core::Resources granted;
    Instant from, to;
  };
  int Number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void Emit(core::Change change) {
    now_ = std::max(now_, time_);
    entries_.push_back({time_, std::move(change)});
  }
  void Pass() {
    const int step = Number(0, 9) == 0 ? -Number(0, mean_step_) : Number(0, mean_step_);
    time_ += std::chrono::milliseconds(step);
  }
  void Next() {
    Pass();
    switch (Number(0, 6)) {
      case 0:
        return Grant();
      case 1:
        return Release();
      case 2:
        return Job();
      case 3:
        return Am();
      default:
        return Task();
    }
  }
  void Grant() {
    const std::string id = "c" + std::to_string(Number(0, 5));
    core::Resources granted{int64_t{Number(0, 9)} << Number(0, 40), Number(0, 4), Number(0, 2)};
    if (Number(0, 2) == 0) granted.others["fpga"] = Number(0, 3);
    Emit(Granted(id, granted));
    if (Number(0, 9) == 0) Emit(Granted(id, granted));  // the same grant is reported twice
    held_.try_emplace(id, granted, now_);
    core::TaskChanged task = TaskChange(TaskType::kAllocated, "worker", Number(0, 2), TaskState::kAllocated);
    task.container = id;
    if (Number(0, 3) != 0) Emit(task);
  }
  void Release() {
    const std::string id = "c" + std::to_string(Number(0, 5));
    Emit(Released(id));
    if (const auto at = held_.find(id); at != held_.end()) {
      gone_.push_back({at->second.first, at->second.second, now_});
      held_.erase(at);
    }
  }
  void Am() {
    const core::Resources granted{int64_t{1} << 30, 1, 0};
    core::ContainerChanged am{.type = ContainerType::kAmGranted, .container = "am" + std::to_string(++am_)};
    am.granted = granted;
    am.since = time_ - std::chrono::milliseconds(Number(-1000, 1000));
    Emit(JobChange(JobType::kAmStarted, JobState::kStarting));
    Emit(am);
    // The first AM is the only one whose grant counts from `since`. Later AMs have the same size.
    if (am_ == 1) held_["am"] = {granted, std::clamp(*am.since, At(0), now_)};
  }
  void Job() {
    static const std::pair<JobType, JobState> kChanges[] = {{JobType::kRunning, JobState::kRunning},
                                                            {JobType::kRunning, JobState::kRunning},
                                                            {JobType::kRecovering, JobState::kRecovering},
                                                            {JobType::kWaiting, JobState::kStarting}};
    const auto& [type, state] = kChanges[Number(0, 3)];
    core::JobChanged change = JobChange(type, state);
    if (state == JobState::kRecovering) change.generation = ++generation_;
    Emit(change);
  }
  void Task() {
    static const std::pair<TaskType, TaskState> kChanges[] = {
        {TaskType::kReady, TaskState::kReady},      {TaskType::kStarted, TaskState::kRunning},
        {TaskType::kExited, TaskState::kSucceeded}, {TaskType::kExited, TaskState::kFailed},
        {TaskType::kLost, TaskState::kLost},        {TaskType::kStopped, TaskState::kStopped},
        {TaskType::kPending, TaskState::kPending},  {TaskType::kProgressed, TaskState::kRunning},
        {TaskType::kRejoined, TaskState::kRunning}};
    const auto& [type, state] = kChanges[Number(0, 8)];
    core::TaskChanged change = TaskChange(type, "worker", Number(0, 2), state);
    if (type == TaskType::kStarted && Number(0, 1) == 0) change.filling = std::chrono::milliseconds(Number(0, 3000));
    if (type == TaskType::kProgressed) {
      change.progress = core::TaskProgress{.step = 1, .at = time_ - std::chrono::milliseconds(Number(-100, 5000))};
      if (Number(0, 1) == 0) change.progress->checkpoint_at = time_ - std::chrono::milliseconds(Number(-100, 9000));
    }
    Emit(change);
  }

  std::mt19937 random_;
  int mean_step_;
  Instant time_ = At(0), now_ = At(0);
  std::vector<core::JournalEntry> entries_;
  std::map<std::string, std::pair<core::Resources, Instant>> held_;
  std::vector<Gone> gone_;
  int am_ = 0, generation_ = 0;
};

Ledger LedgerOf(const RandomJob& job, Days days = {}, Window window = {}) {
  Ledger ledger(std::move(days), window);
  for (const core::JournalEntry& entry : job.entries()) ledger.Take(entry);
  return ledger;
}

class LedgerOfRandomJobs : public testing::TestWithParam<int> {
 protected:
  RandomJob Job() const {
    // Some journals are long enough that the ledger settles, and some steps are hours, so that jobs have many days.
    const unsigned seed = static_cast<unsigned>(GetParam());
    RandomJob job(seed, seed % 3 == 0 ? 4'000'000 : 2'000);
    job.Run(seed % 5 == 0 ? 6'000 : 300);
    if (seed % 2 == 0) job.End();
    return job;
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, LedgerOfRandomJobs, testing::Range(0, 120));

TEST_P(LedgerOfRandomJobs, BucketsAddUpToTheContainers) {
  const RandomJob job = Job();
  const Ledger ledger = LedgerOf(job);
  EXPECT_EQ(SumOfBuckets(ledger), job.Expected());
  EXPECT_EQ(ledger.Total(), job.Expected());
}

TEST_P(LedgerOfRandomJobs, EachDayAddsUpToTheContainersOfThatDay) {
  const RandomJob job = Job();
  const Days days([](Instant at) -> Duration {  // clocks are set back on the second day
    return at < At(26 * 3600) ? std::chrono::hours(2) : std::chrono::hours(1);
  });
  const Ledger ledger = LedgerOf(job, days);
  Held sum;
  for (Instant at = At(0); at < job.now(); at = days.EndAfter(at)) {
    const Day day = days.Of(at);
    EXPECT_EQ(ledger.Total(day), job.Expected(at, days.EndAfter(at)));
    sum += ledger.Total(day);
  }
  EXPECT_EQ(sum, ledger.Total());
}

TEST_P(LedgerOfRandomJobs, PeriodsAddUpToTheWhole) {
  const RandomJob job = Job();
  const Instant middle = At(0) + (job.now() - At(0)) / 3;
  const Ledger before = LedgerOf(job, {}, {.since = std::nullopt, .until = middle});
  const Ledger after = LedgerOf(job, {}, {.since = middle, .until = std::nullopt});
  const Ledger whole = LedgerOf(job);
  for (size_t i = 0; i < kBuckets; ++i) {
    const auto bucket = static_cast<Bucket>(i);
    Held sum = before.Of(bucket);
    sum += after.Of(bucket);
    EXPECT_EQ(sum, whole.Of(bucket)) << ToText(bucket);
    EXPECT_EQ(before.Wall(bucket) + after.Wall(bucket), whole.Wall(bucket)) << ToText(bucket);
  }
}

// The journals have only one container, which is held from the beginning. Its hardware time must be a multiple of the
// wall time that TimeBreakdown computes.
TEST_P(LedgerOfRandomJobs, BucketsAgreeWithTheTimeBreakdown) {
  RandomJob job = Job();
  Ledger ledger;
  for (const core::JournalEntry& entry : job.entries()) {
    if (!std::holds_alternative<core::ContainerChanged>(entry.change)) ledger.Take(entry);
    if (std::holds_alternative<core::JobSubmitted>(entry.change)) ledger.Take({entry.time, Granted("x", {0, 3, 0})});
  }
  const JobView& view = ledger.job();
  Duration wall{};
  for (size_t i = 0; i < static_cast<size_t>(Spent::kCount); ++i) {
    const Duration time = view.time_breakdown.Of(static_cast<Spent>(i), view.time_breakdown.now());
    EXPECT_EQ(ledger.Wall(static_cast<Bucket>(i)), time) << i;
    EXPECT_EQ(ledger.Of(static_cast<Bucket>(i)).vcores, ResourceTime{3} * time.count()) << i;
    wall += time;
  }
  EXPECT_EQ(wall, view.time_breakdown.now() - At(0));
}

// A reader that follows a job gets the same figures as one that reads the finished journal.
TEST_P(LedgerOfRandomJobs, QueriesInBetweenChangeNothing) {
  const RandomJob job = Job();
  Ledger queried;
  int i = 0;
  for (const core::JournalEntry& entry : job.entries()) {
    queried.Take(entry);
    if (++i % 100 == 0) queried.Total();
  }
  const Ledger whole = LedgerOf(job);
  for (size_t b = 0; b < kBuckets; ++b) EXPECT_EQ(queried.Of(static_cast<Bucket>(b)), whole.Of(static_cast<Bucket>(b)));
}

TEST(LedgerOfRandomJobsTogether, GroupsAddUpToTheTotal) {
  std::map<int, Held> groups;
  Held total, expected;
  for (int seed = 0; seed < 60; ++seed) {
    RandomJob job(static_cast<unsigned>(seed), 100'000);
    job.Run(100);
    job.End();
    const Ledger ledger = LedgerOf(job);
    groups[seed % 7] += SumOfBuckets(ledger);
    total += ledger.Total();
    expected += job.Expected();
  }
  Held of_groups;
  for (const auto& [group, held] : groups) of_groups += held;
  EXPECT_EQ(of_groups, total);
  EXPECT_EQ(total, expected);
}

}  // namespace
}  // namespace howdah::journal
