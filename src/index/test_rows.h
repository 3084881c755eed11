// For tests only: rows of jobs.
#pragma once

#include <chrono>
#include <random>
#include <string>

#include "howdah/index/query/job_row.h"

namespace howdah::index {

inline const Instant kNow = *ParseInstant("2026-11-21T12:00:00.000Z");

inline std::string StatusOf(const query::JobRow& row) {
  return R"({"id":")" + row.id + R"(","name":"n","state":")" + std::string(core::ToText(row.state)) + R"("})";
}

inline query::JobRow Ended(const std::string& id) {
  query::JobRow row{.id = id,
                    .name = "resnet50",
                    .user = "ann",
                    .queue = "ml",
                    .backend = "local",
                    .framework = "pytorch",
                    .reason = "worker:1 failed with exit code 1",
                    .state = core::JobState::kFailed,
                    .tags = {"nightly"},
                    .submitted = kNow - std::chrono::hours(3),
                    .started = kNow - std::chrono::hours(2),
                    .finished = kNow - std::chrono::hours(1),
                    .tasks = 4};
  row.status_json = StatusOf(row);
  return row;
}

inline query::JobRow Running(const std::string& id) {
  query::JobRow row = Ended(id);
  row.state = core::JobState::kRunning;
  row.finished = std::nullopt;
  row.reason.clear();
  row.status_json = StatusOf(row);
  return row;
}

// A row with random values, many of which are unknown or equal to those of other rows.
inline query::JobRow RandomRow(int number, std::mt19937& random) {
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const char* const texts[] = {"",         "a",      "A",   "bert", "Bert-Large", "resnet50", "r\xc3\xa9seau",
                               "<b>x</b>", "a'b\"c", "%_?["};
  const auto text = [&] { return std::string(texts[pick(10)]); };
  query::JobRow row{.id = "howdah-" + std::to_string(number),
                    .name = text(),
                    .user = text(),
                    .queue = text(),
                    .backend = pick(2) == 0 ? "local" : "yarn",
                    .framework = text(),
                    .reason = text() + (pick(2) == 0 ? "" : " failed with exit code 1"),
                    .state = static_cast<core::JobState>(pick(7))};
  if (row.reason == " failed with exit code 1") row.reason.clear();
  for (int i = pick(3); i > 0; --i) row.tags.push_back("t" + std::to_string(pick(4)));
  for (int i = pick(3); i > 0; --i) row.nodes.push_back("Node" + std::to_string(pick(4)));
  if (pick(3) == 0) row.checks = {"memory-over"};
  if (pick(8) > 0) row.submitted = kNow - std::chrono::minutes(pick(200));
  if (pick(4) > 0) row.started = kNow - std::chrono::minutes(pick(100));
  if (core::IsFinal(row.state) && pick(5) > 0) row.finished = kNow - std::chrono::minutes(pick(50));
  row.tasks = pick(5);
  if (pick(3) > 0) row.gpus = pick(4);
  if (pick(3) == 0) row.progress = query::JobProgress{.step = pick(100), .steps = pick(2) == 0 ? 0 : 100};
  if (pick(3) > 0) row.goodput = pick(11) / 10.0;
  if (pick(3) == 0) row.severity = static_cast<advice::Severity>(pick(4));
  if (pick(3) == 0) row.cost = pick(7) * 1.5;
  row.status_json = StatusOf(row);
  return row;
}

}  // namespace howdah::index
