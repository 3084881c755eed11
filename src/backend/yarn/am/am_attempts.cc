#include "am_attempts.h"

#include <algorithm>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/container_exit_status.h"
#include "howdah/base/epoch.h"

namespace howdah::backend::yarn::am {

int64_t MaxAttempts(const jobspec::JobSpec& spec, const hadoop::conf::Configuration& configuration) {
  const auto am_default = configuration.Number("yarn.resourcemanager.am.max-attempts", 2);
  const auto most =
      configuration.Number("yarn.resourcemanager.am.global.max-attempts", am_default.ok() ? *am_default : 2);
  return std::min<int64_t>(spec.am.attempts, most.ok() ? *most : 2);
}

bool MayBeRestarted(const jobspec::JobSpec& spec, const hadoop::conf::Configuration& configuration) {
  return MaxAttempts(spec, configuration) >= 2;
}

int64_t CountFailedAttempts(int32_t attempt, const std::vector<::hadoop::yarn::ApplicationAttemptReportProto>& attempts,
                            Instant now) {
  return std::count_if(attempts.begin(), attempts.end(), [&](const auto& report) {
    if (report.application_attempt_id().attemptid() >= attempt) return false;
    if (FromMillis(report.finishtime()) <= now - kAttemptFailureWindow) return false;
    return MeaningOf(AmExitStatus(report.diagnostics()).value_or(0)).charged;
  });
}

bool HasLaterAttempt(int32_t attempt, const std::vector<::hadoop::yarn::ApplicationAttemptReportProto>& attempts) {
  return std::any_of(attempts.begin(), attempts.end(),
                     [&](const auto& report) { return report.application_attempt_id().attemptid() > attempt; });
}

}  // namespace howdah::backend::yarn::am
