#include "scenario.h"

namespace howdah::testing::feed_sim {

using feed::Remainder;
using feed::Split;
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::vector<Faults>& FaultProfiles() {
  static const std::vector<Faults> profiles = {
      {.name = "calm"},
      {.name = "bad network",
       .latency = milliseconds(200),
       .message_late = 0.1,
       .message_lost = 0.05,
       .message_twice = 0.1},
      {.name = "restarts", .message_late = 0.02, .process_dies = 0.8, .queued = 0.3},
      {.name = "lost executors", .message_late = 0.02, .process_dies = 0.8, .executor_dies = 0.6, .another_job = 0.5},
      {.name = "resizes", .process_dies = 0.6, .executor_dies = 0.3, .resized = 0.7, .another_job = 0.8},
      {.name = "flaky source", .task_dies = 0.05, .task_twice = 0.3, .source_dies = 0.3},
      {.name = "dying masters", .message_late = 0.05, .am_dies = 0.03, .am_killed = 0.7},
      {.name = "chaos",
       .latency = milliseconds(100),
       .message_late = 0.05,
       .message_lost = 0.02,
       .message_twice = 0.05,
       .am_dies = 0.01,
       .am_killed = 0.5,
       .process_dies = 0.6,
       .executor_dies = 0.3,
       .resized = 0.3,
       .task_dies = 0.03,
       .task_twice = 0.1,
       .source_dies = 0.2,
       .another_job = 0.3},
  };
  return profiles;
}

Scenario DrawScenario(Random& random) {
  Scenario scenario;
  scenario.faults = random.Pick(FaultProfiles());
  feed::Options& options = scenario.options;
  options.split = random.Pick<Split>({Split::kEqual, Split::kEqual, Split::kDynamic, Split::kAll});
  options.remainder = random.Pick<Remainder>({Remainder::kDrop, Remainder::kShort, Remainder::kRepeat});
  options.seed = random.Next();
  options.lost_after = seconds(60);
  options.stream = random.Chance(0.15);
  options.passes = options.stream ? 1 : random.Pick<int>({1, 1, 2, 3, 6});
  options.ranks_restart_alone = options.split == Split::kDynamic && random.Chance(0.6);
  options.recompute = random.Chance(0.2);
  if (random.Chance(0.3)) options.shuffle = random.Between(2, 12);
  scenario.ranks = random.Between(1, 4);
  scenario.batch = random.Between(1, 6);
  scenario.block = random.Between(1, 8);
  scenario.row_bytes = random.Between(1, 20);
  options.buffer = random.Between(1, 400);
  const int partitions = random.Between(0, 6);
  const int largest = random.Pick<int>({0, 3, 20, 40});
  for (int i = 0; i < partitions; ++i) scenario.rows.push_back(random.Between(0, largest));
  if (random.Chance(0.7)) {
    scenario.checkpoint_every = random.Between(1, 5);
  } else if (random.Chance(0.5)) {
    scenario.commit_every = random.Between(1, 3);
  }
  if (options.ranks_restart_alone) {
    scenario.checkpoint_every = 0;
    scenario.commit_every = random.Between(0, 3);
  }
  scenario.keeps = random.Pick<double>({0.0, 0.7, 1.0, 1.0});
  if (random.Chance(0.08)) {
    scenario.changes = true;
    options.accept_changes = random.Chance(0.5);
    options.passes = 1;
  } else if (random.Chance(0.03)) {
    scenario.batches_differ = true;
  } else if (random.Chance(0.05)) {
    scenario.stops_after = random.Between(0, 5);
  } else if (random.Chance(0.03)) {
    scenario.source_end = random.Pick<SourceEnd>({SourceEnd::kGone, SourceEnd::kSilent, SourceEnd::kNever});
  }
  scenario.own_partitions = scenario.lockstep() && !options.stream && random.Chance(0.4);
  // A generator of its own: with it, the kept seeds have the faults for which they were kept.
  if (scenario.faults.am_killed > 0 && Random(options.seed).Chance(0.4)) {
    scenario.faults.tail_lost = 0.6;
    scenario.faults.unreached = 0.3;
  }
  if (scenario.faults.process_dies > 0 && Random(options.seed + 1).Chance(0.4)) scenario.faults.late_checkpoint = 0.7;
  if (scenario.alone() && scenario.faults.process_dies > 0) scenario.faults.dies_after_end = 0.5;
  if (!scenario.alone() && Random(options.seed + 3).Chance(0.05)) scenario.faults.restarts_alone = 0.5;
  const bool repeatable = !options.stream && !scenario.changes && scenario.source_end == SourceEnd::kNone;
  if (scenario.alone() && repeatable && Random(options.seed + 2).Chance(0.4)) scenario.faults.own_checkpoint = 0.3;
  return scenario;
}

std::string Scenario::Text() const {
  constexpr std::string_view kSplits[] = {"equal", "dynamic", "all"};
  constexpr std::string_view kRemainders[] = {"drop", "short", "repeat"};
  std::string text(kSplits[static_cast<size_t>(options.split)]);
  text += ", " + std::string(kRemainders[static_cast<size_t>(options.remainder)]) + ", " + std::to_string(ranks) +
          " ranks, batches of " + std::to_string(batch) + ", " + std::to_string(options.passes) + " passes of";
  for (const int64_t count : rows) text += " " + std::to_string(count);
  text += " rows, " + std::string(faults.name);
  if (options.shuffle > 0) text += ", shuffle " + std::to_string(options.shuffle);
  if (options.stream) text += ", stream";
  if (own_partitions) text += ", own partitions";
  if (options.ranks_restart_alone) text += ", ranks restart alone";
  if (changes) text += ", changes";
  if (faults.tail_lost > 0) text += ", logs are lost";
  if (late_checkpoints()) text += ", late checkpoints";
  if (faults.own_checkpoint > 0) text += ", own checkpoints";
  if (faults.restarts_alone > 0) text += ", a rank restarts alone";
  return text;
}

}  // namespace howdah::testing::feed_sim
