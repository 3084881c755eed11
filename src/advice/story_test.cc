// The implementation of test_story.h, and the test that the story itself is healthy.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "howdah/base/text.h"
#include "test_story.h"

namespace howdah::advice {
namespace {

constexpr int64_t kGiBytes = int64_t{1} << 30;

Function Constant(double value) {
  return [value](double) { return value; };
}

core::TaskChanged TaskEntry(core::TaskChanged::Type type, core::TaskState state, const std::string& role, int index,
                            int attempt) {
  return {.type = type, .role = role, .index = index, .state = state, .attempt = attempt};
}

}  // namespace

Story::Story() {
  spec.name = "train";
  spec.framework = jobspec::Framework::kPytorch;
  spec.checkpoint.dir = "/ckpt";
  jobspec::RoleSpec role;
  role.name = "worker";
  role.instances = {4, 4};
  role.memory_bytes = 8 * kGiBytes;
  role.vcores = 4;
  role.gpus = 1;
  role.command.shell = "python train.py";
  spec.roles.push_back(role);
  AddSeries(role);
  end = {.type = core::JobChanged::Type::kFinished, .state = core::JobState::kSucceeded, .exit_code = 0};
}

jobspec::RoleSpec& Story::Role(const std::string& name) {
  return *std::find_if(spec.roles.begin(), spec.roles.end(), [&](const auto& role) { return role.name == name; });
}

void Story::SetAll(const std::string& name, Series of_all, const std::string& role) {
  for (int index = 0; index < Role(role).instances.max; ++index) series[{role, index, name}] = of_all;
}

void Story::AddSeries(const jobspec::RoleSpec& role) {
  for (int index = 0; index < role.instances.max; ++index) {
    const auto add = [&](const std::string& name, double value) {
      series[{role.name, index, name}] = {Constant(value)};
    };
    add("cpu_cores", 0.8 * role.vcores);
    add("memory_bytes", 0.88 * static_cast<double>(role.memory_bytes));
    add("cpu_throttled", 0.01);
    add("cpu_pressure", 0.05);
    add("io_pressure", 0.02);
    add("memory_pressure", 0);
    add("threads", 2 * role.vcores);
    series[{role.name, index, "stdout_bytes"}] = {[](double t) { return 1000 * t; }};
    series[{role.name, index, "shm_bytes"}] = {.mean = Constant(0.2 * kGiBytes), .capacity = kGiBytes};
    if (role.gpus == 0) continue;
    add("gpu_util", 0.85);
    add("gpu_memory", 0.75);
    add("gpu_throttled", 0);
    for (int gpu = 0; gpu < role.gpus; ++gpu) {
      add("gpu" + std::to_string(gpu) + "_util", 0.85);
      add("gpu" + std::to_string(gpu) + "_memory", 0.75);
    }
    series[{role.name, index, "step_s", 0}] = {[this](double) { return 1 / rate; }};
    series[{role.name, index, "input_wait", 0}] = {Constant(0.03)};
  }
}

void Story::AddRestart(double at, const std::string& reason, ExitStatus exit) {
  auto failed = TaskEntry(core::TaskChanged::Type::kExited, core::TaskState::kFailed, "worker", 0, attempt_);
  failed.exit = exit;
  failed.reason = reason;
  extras.push_back({at, failed});
  auto started = TaskEntry(core::TaskChanged::Type::kStarted, core::TaskState::kRunning, "worker", 0, ++attempt_);
  started.generation = generation_;
  started.started = At(at + 1);
  started.ranks = {0};
  extras.push_back({at + 1, started});
}

void Story::AddGeneration(double at, double recovering, const std::string& reason) {
  auto failed = TaskEntry(core::TaskChanged::Type::kExited, core::TaskState::kFailed, "worker", 0, attempt_);
  failed.exit = ExitStatus{.code = 1};
  failed.reason = reason;
  extras.push_back({at, failed});
  ++generation_;
  extras.push_back({at, core::JobChanged{.type = core::JobChanged::Type::kRecovering,
                                         .state = core::JobState::kRecovering,
                                         .generation = generation_,
                                         .reason = reason}});
  auto started = TaskEntry(core::TaskChanged::Type::kStarted, core::TaskState::kRunning, "worker", 0, ++attempt_);
  started.generation = generation_;
  started.started = At(at + recovering);
  started.ranks = {0};
  extras.push_back({at + recovering, started});
  extras.push_back(
      {at + recovering,
       core::JobChanged{.type = core::JobChanged::Type::kRunning, .state = core::JobState::kRunning, .reason = ""}});
}

void Story::AddCheckpoint(double at, int64_t step, std::optional<core::CheckpointCost> cost) {
  auto entry = TaskEntry(core::TaskChanged::Type::kProgressed, core::TaskState::kRunning, "worker", 0, attempt_);
  entry.progress = core::TaskProgress{
      .step = step, .checkpoint = step, .checkpoint_at = At(at), .at = At(at), .checkpoint_cost = cost};
  extras.push_back({at, entry});
}

std::vector<Story::Placed> Story::Tasks() const {
  std::vector<Placed> tasks;
  int rank = 0;
  for (const auto& role : spec.roles) {
    for (int index = 0; index < role.instances.max; ++index) {
      const std::string number = std::to_string(tasks.size());
      tasks.push_back(
          {role.name, "c" + number, "node" + number, index, role.kind == jobspec::RoleKind::kWorker ? rank++ : -1});
    }
  }
  return tasks;
}

void Story::AddProgress(double starts, std::vector<core::JournalEntry>& entries) const {
  for (double t = 10; reports_steps && t <= ran; t += ran / 10 > 300 ? 300 : ran / 10) {
    for (const Placed& task : Tasks()) {
      if (task.rank < 0) continue;
      const bool restarted = attempt_ > 0 && task.rank == 0;
      if (restarted) continue;
      auto progressed =
          TaskEntry(core::TaskChanged::Type::kProgressed, core::TaskState::kRunning, task.role, task.index, 0);
      const auto step = static_cast<int64_t>(t * rate);
      core::TaskProgress progress{.step = step, .at = At(starts + t)};
      if (reports_checkpoints) {
        progress.checkpoint = step;
        progress.checkpoint_at = At(starts + t);
      }
      progressed.progress = progress;
      entries.push_back({At(starts + t), progressed});
    }
  }
}

std::vector<core::JournalEntry> Story::Entries() const {
  using JobType = core::JobChanged::Type;
  using TaskType = core::TaskChanged::Type;
  std::vector<core::JournalEntry> entries;
  const auto add = [&](double at, core::Change change) { entries.push_back({At(at), std::move(change)}); };
  const std::vector<Placed> tasks = Tasks();
  core::JobSubmitted submitted{
      .id = "job-now", .name = spec.name, .on = "local", .framework = "pytorch", .user = "ann"};
  for (const auto& role : spec.roles) submitted.roles.push_back({role.name, role.instances.max});
  add(0, submitted);
  if (!waits_for.empty()) add(0.1, core::JobChanged{.type = JobType::kWaiting, .reason = waits_for});
  const double starts = queued + incomplete + localized;
  const auto role_of = [&](const Placed& task) -> const jobspec::RoleSpec& {
    return *std::find_if(spec.roles.begin(), spec.roles.end(), [&](const auto& r) { return r.name == task.role; });
  };
  for (const Placed& task : tasks) {
    const jobspec::RoleSpec& role = role_of(task);
    const double at = &task == &tasks.back() ? queued + incomplete : queued;
    add(at, core::ContainerChanged{.container = task.container,
                                   .node = task.node,
                                   .granted = core::Resources{granted_bytes > 0 ? granted_bytes : role.memory_bytes,
                                                              role.vcores, role.gpus}});
    auto allocated = TaskEntry(TaskType::kAllocated, core::TaskState::kAllocated, task.role, task.index, 0);
    allocated.container = task.container;
    allocated.node = task.node;
    add(at, allocated);
  }
  add(queued, core::JobChanged{.type = JobType::kWaiting, .state = core::JobState::kStarting, .reason = ""});
  for (const Placed& task : tasks)
    add(starts, TaskEntry(TaskType::kReady, core::TaskState::kReady, task.role, task.index, 0));
  for (const Placed& task : tasks) {
    auto started = TaskEntry(TaskType::kStarted, core::TaskState::kRunning, task.role, task.index, 0);
    started.generation = 0;
    started.started = At(starts);
    if (task.rank >= 0) started.ranks = {task.rank};
    add(starts, started);
  }
  add(starts, core::JobChanged{.type = JobType::kRunning, .state = core::JobState::kRunning});
  AddProgress(starts, entries);
  for (const Extra& extra : extras) entries.push_back({At(starts + extra.at), extra.change});
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  if (!ended) return entries;
  const double ends = starts + ran;
  for (const Placed& task : tasks) {
    auto exited =
        TaskEntry(TaskType::kExited, core::TaskState::kSucceeded, task.role, task.index, task.rank == 0 ? attempt_ : 0);
    exited.exit = ExitStatus{.code = 0};
    exited.finished = At(task.rank == 0 ? ends - after_end : ends);
    add(task.rank == 0 ? ends - after_end : ends, exited);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const Placed& task : tasks) {
    add(ends, core::ContainerChanged{.type = core::ContainerChanged::Type::kReleased, .container = task.container});
  }
  add(ends, end);
  return entries;
}

metrics::Table Story::MakeTable() const {
  metrics::Table table;
  const double starts = queued + incomplete + localized;
  table.start = At(starts);
  table.width = std::chrono::seconds(width);
  table.buckets = static_cast<size_t>(ran / width);
  for (const auto& [key, of_task] : series) {
    metrics::Column column;
    column.series = {key.name, of_task.unit, of_task.scope};
    column.role = key.role;
    column.index = key.index;
    column.rank = key.rank;
    column.capacity = of_task.capacity;
    for (size_t i = 0; i < table.buckets; ++i) {
      const double at = static_cast<double>(i) * width, mean = of_task.mean(at);
      column.weight.push_back(std::isnan(mean) ? 0.0F : static_cast<float>(width));
      column.mean.push_back(static_cast<float>(mean));
      column.max.push_back(static_cast<float>(of_task.max ? of_task.max(at) : mean));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

Facts Story::Make() {
  Facts facts;
  facts.spec = spec;
  for (const core::JournalEntry& entry : Entries()) {
    facts.job.Apply(entry);
    facts.ledger.Take(entry);
    facts.trail.Take(entry);
  }
  table_ = std::make_shared<metrics::Table>(MakeTable());
  facts.metrics = table_.get();
  facts.earlier = earlier;
  facts.cluster = cluster;
  return facts;
}

std::vector<Finding> Story::Findings() {
  const Facts facts = Make();
  return Advise(facts, At(queued + incomplete + localized + ran));
}

std::string Story::Advised() {
  std::set<std::string> keys;
  for (const Finding& finding : Findings()) keys.insert(FindingKey(finding));
  return Join(keys);
}

RunFacts RunLike(Story& story, const std::string& id) {
  const Facts facts = story.Make();
  RunFacts run = Summarize(facts, At(1e6));
  run.id = id;
  run.submitted = At(-3600);
  return run;
}

TEST(AdviceStory, HealthyJobGetsNoAdvice) {
  EXPECT_EQ(Story().Advised(), "");
  Story alive;
  alive.ended = false;
  EXPECT_EQ(alive.Advised(), "");
  Story unmeasured;
  unmeasured.series.clear();
  EXPECT_EQ(unmeasured.Advised(), "") << "no sample is not a sample of 0";
}

}  // namespace howdah::advice
