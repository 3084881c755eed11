#include "howdah/am/am.h"

#include <utility>

#include "application_master.h"

namespace howdah::am {

namespace {

// A job must not begin a second time: its tasks may still run.
Status CheckBeginning(const AmOptions& options, const JobRecord& record, const EventLog& log) {
  constexpr size_t kSubmission = 1;  // the JobSubmitted entry, which the client writes
  const bool begins_again = options.generation == 0 && options.first_task_attempt == 0;
  if (log.had_events() || !begins_again || record.entries_before() <= kSubmission) return {};
  return Failed("the event log " + log.path() + (log.existed() ? " has no events" : " is missing or empty") +
                ", but the journal has " + std::to_string(record.entries_before()) +
                " entries: the job cannot be continued without starting its tasks a second time");
}

}  // namespace

Status RunAm(AmOptions options, const os::process::Clock& clock, const MakeBackend& make_backend) {
  HOWDAH_TRY(auto record, JobRecord::Open(options.journal));
  const Instant submitted = options.gang_since.value_or(record.view().submitted.value_or(clock.Now()));
  HOWDAH_TRY(auto log, EventLog::Open(options.event_log, {submitted, record.entries_before()}));
  HOWDAH_TRY_STATUS(CheckBeginning(options, record, log));
  ApplicationMaster am(std::move(options), clock, std::move(record), std::move(log));
  return am.Run(make_backend);
}

}  // namespace howdah::am
