#include "howdah/am/am.h"

#include <algorithm>
#include <utility>

#include "application_master.h"

namespace howdah::am {

Status RunAm(AmOptions options, const os::process::Clock& clock, const MakeBackend& make_backend) {
  HOWDAH_TRY(auto record, JobRecord::Open(options.journal));
  HOWDAH_TRY(auto past, EventLog::Read(options.event_log));
  const Instant submitted = options.gang_since.value_or(record.view().submitted.value_or(clock.Now()));
  const EventLog::Beginning beginning =
      past ? past->beginning : EventLog::Beginning{submitted, record.entries_before()};
  HOWDAH_TRY(auto log, EventLog::Open(options.event_log, beginning));
  std::optional<Resumption> resumption;
  // An AM that died before its first event has left nothing to continue.
  if (past && !past->events.empty()) {
    const size_t written = record.entries_before();
    resumption = Resumption{std::move(past->events), written - std::min(written, beginning.journal_entries)};
  }
  ApplicationMaster am(std::move(options), clock, std::move(record), std::move(log), beginning.submitted);
  return am.Run(make_backend, resumption);
}

}  // namespace howdah::am
