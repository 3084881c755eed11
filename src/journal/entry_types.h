// The words of the journal's `type` field, one for each kind of change. Words may be added, but never renamed.
#pragma once

#include <array>
#include <string_view>

#include "howdah/core/change.h"

namespace howdah::journal {

inline constexpr std::string_view kJobSubmitted = "JobSubmitted";
inline constexpr std::string_view kRoleScaled = "RoleScaled";

template <typename Type>
struct TypeWord {
  Type type;
  std::string_view word;
};

inline constexpr std::array<TypeWord<core::JobChanged::Type>, 8> kJobWords = {{
    {core::JobChanged::Type::kAmStarted, "JobAmStarted"},
    {core::JobChanged::Type::kWaiting, "JobWaiting"},
    {core::JobChanged::Type::kRunning, "JobRunning"},
    {core::JobChanged::Type::kRecovering, "JobRecovering"},
    {core::JobChanged::Type::kStopRequested, "JobStopRequested"},
    {core::JobChanged::Type::kStopping, "JobStopping"},
    {core::JobChanged::Type::kTensorboard, "JobTensorboard"},
    {core::JobChanged::Type::kFinished, "JobFinished"},
}};

inline constexpr std::array<TypeWord<core::TaskChanged::Type>, 13> kTaskWords = {{
    {core::TaskChanged::Type::kPending, "TaskPending"},
    {core::TaskChanged::Type::kAllocated, "TaskAllocated"},
    {core::TaskChanged::Type::kReady, "TaskReady"},
    {core::TaskChanged::Type::kStarted, "TaskStarted"},
    {core::TaskChanged::Type::kServes, "TaskServes"},
    {core::TaskChanged::Type::kExited, "TaskExited"},
    {core::TaskChanged::Type::kLost, "TaskLost"},
    {core::TaskChanged::Type::kStopped, "TaskStopped"},
    {core::TaskChanged::Type::kRemoved, "TaskRemoved"},
    {core::TaskChanged::Type::kProgressed, "TaskProgressed"},
    {core::TaskChanged::Type::kHung, "TaskStalled"},
    {core::TaskChanged::Type::kStackSampled, "TaskStands"},
    {core::TaskChanged::Type::kRejoined, "TaskRejoined"},
}};

inline constexpr std::array<TypeWord<core::ContainerChanged::Type>, 3> kContainerWords = {{
    {core::ContainerChanged::Type::kGranted, "ContainerGranted"},
    {core::ContainerChanged::Type::kAmGranted, "ContainerOfAmGranted"},
    {core::ContainerChanged::Type::kReleased, "ContainerReleased"},
}};

inline constexpr std::array<TypeWord<core::TokensChanged::Type>, 3> kTokensWords = {{
    {core::TokensChanged::Type::kIssued, "TokensIssued"},
    {core::TokensChanged::Type::kRenewed, "TokensRenewed"},
    {core::TokensChanged::Type::kExpiring, "TokensExpiring"},
}};

template <typename Words, typename Type>
constexpr std::string_view WordOf(const Words& words, Type type) {
  for (const auto& entry : words) {
    if (entry.type == type) return entry.word;
  }
  return "";
}

// Returns the `type` of a change.
inline std::string_view TypeOf(const core::Change& change) {
  if (const auto* job = std::get_if<core::JobChanged>(&change)) return WordOf(kJobWords, job->type);
  if (const auto* task = std::get_if<core::TaskChanged>(&change)) return WordOf(kTaskWords, task->type);
  if (const auto* one = std::get_if<core::ContainerChanged>(&change)) return WordOf(kContainerWords, one->type);
  if (const auto* tokens = std::get_if<core::TokensChanged>(&change)) return WordOf(kTokensWords, tokens->type);
  return std::holds_alternative<core::JobSubmitted>(change) ? kJobSubmitted : kRoleScaled;
}

}  // namespace howdah::journal
