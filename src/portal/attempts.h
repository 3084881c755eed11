// The attempts of a job's tasks, and its events over time, from its journal. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/journal/job_view.h"

namespace howdah::portal {

// A stretch of time that a task spent in one state.
struct Span {
  core::TaskState state = core::TaskState::kPending;
  Instant from;
  std::optional<Instant> to;  // nullopt: still in this state
  friend bool operator==(const Span&, const Span&) = default;
};

struct Attempt {
  std::string role;
  int index = 0, attempt = 0, generation = 0;
  core::TaskState state = core::TaskState::kPending;
  std::string node, container, reason;
  std::vector<int> ranks;
  std::optional<Instant> started, finished;
  std::optional<ExitStatus> exit;
  std::optional<core::Usage> usage;
  std::optional<core::TaskProgress> progress;
  std::vector<Span> spans;  // waiting, starting and running, oldest first
};

// Something that happened at one time.
struct Mark {
  Instant at;
  std::string kind;  // failure lost checkpoint scaled recovering stop
  std::string task;  // "worker:1"; empty for the whole job
  std::string text;
  friend bool operator==(const Mark&, const Mark&) = default;
};

// Accepts any entries. Its memory is bounded by the number of attempts and by kMostMarks.
class AttemptLog {
 public:
  static constexpr size_t kMostMarks = 1000;  // the newest are kept
  static constexpr size_t kMostSpans = 100;   // of one attempt

  void Take(const core::JournalEntry& entry);

  const journal::JobView& job() const { return view_; }
  // By role in the order of the job file, then by index and number. Attempts that never got a container are left out,
  // except those that wait for one now.
  std::vector<Attempt> Attempts() const;
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  void Take(Instant at, const core::TaskChanged& change);
  void AddMark(Mark mark);
  void AddMarks(Instant at, const core::TaskChanged& change, const Attempt& attempt);

  journal::JobView view_;
  std::vector<std::string> roles_;  // in the order of the job file
  std::map<std::string, std::map<int, std::vector<Attempt>>> tasks_;
  std::vector<Mark> marks_;
};

// The time that an attempt spent in each state, its exit and its resources.
std::string AttemptJson(const Attempt& attempt, bool with_spans);
std::string MarkJson(const Mark& mark);

}  // namespace howdah::portal
