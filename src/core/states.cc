#include "howdah/core/states.h"

#include <iterator>

namespace howdah::core {
namespace {

constexpr std::string_view kJobStates[] = {"QUEUED",    "STARTING", "RUNNING", "RECOVERING",
                                           "SUCCEEDED", "FAILED",   "KILLED"};
constexpr std::string_view kTaskStates[] = {"PENDING",   "ALLOCATED", "READY", "RUNNING",
                                            "SUCCEEDED", "FAILED",    "LOST",  "STOPPED"};

template <typename State, size_t kCount>
std::optional<State> Parse(const std::string_view (&names)[kCount], std::string_view text) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == text) return static_cast<State>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToText(JobState s) { return kJobStates[static_cast<size_t>(s)]; }
std::string_view ToText(TaskState s) { return kTaskStates[static_cast<size_t>(s)]; }
std::optional<JobState> ParseJobState(std::string_view text) { return Parse<JobState>(kJobStates, text); }
std::optional<TaskState> ParseTaskState(std::string_view text) { return Parse<TaskState>(kTaskStates, text); }

}  // namespace howdah::core
