#include "finish.h"

#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/scheduler.h"

namespace howdah::backend::yarn::am {
namespace {

::hadoop::yarn::FinalApplicationStatusProto StatusOf(core::JobState state) {
  if (state == core::JobState::kSucceeded) return ::hadoop::yarn::APP_SUCCEEDED;
  return state == core::JobState::kKilled ? ::hadoop::yarn::APP_KILLED : ::hadoop::yarn::APP_FAILED;
}

// A line for the reason, which is what a reader of the report takes, and one for the advice.
std::string Diagnostics(const core::JobChanged& end) {
  const std::string reason = end.reason.value_or("");
  if (end.advice.value_or("").empty()) return reason;
  return reason + "\n" + *end.advice;
}

}  // namespace

Status FinishApplication(const hadoop::conf::Configuration& configuration, const hadoop::rpc::Token& am_rm_token,
                         const core::JobChanged& end, Duration limit) {
  HOWDAH_TRY(const auto call, hadoop::yarn::BlockingSchedulerCall(configuration, am_rm_token));
  ::hadoop::yarn::FinishApplicationMasterRequestProto finish;
  finish.set_final_application_status(StatusOf(end.state.value_or(core::JobState::kFailed)));
  finish.set_diagnostics(Diagnostics(end));
  return hadoop::yarn::Unregister(call, finish, {}, limit);
}

}  // namespace howdah::backend::yarn::am
