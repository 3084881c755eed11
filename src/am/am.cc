#include "howdah/am/am.h"

#include <algorithm>

#include "application_master.h"

namespace howdah::am {

Status RunAm(AmOptions options, const MakeBackend& make_backend) {
  auto entries = ReadJournal(options.journal);
  if (!entries.ok()) return entries.error();
  journal::JobView view;
  for (const core::JournalEntry& entry : *entries) view.Apply(entry);
  auto journal = JournalFile::Open(options.journal);
  if (!journal.ok()) return journal.error();
  const auto past = EventLog::Read(options.event_log);
  if (!past.ok()) return past.error();
  const size_t written = EntriesOfCore(*entries);
  const EventLog::Beginning beginning =
      *past ? (*past)->beginning
            : EventLog::Beginning{options.gang_since.value_or(view.submitted.value_or(os::process::Clock().Now())),
                                  written};
  auto log = EventLog::Open(options.event_log, beginning);
  if (!log.ok()) return log.error();
  ApplicationMaster am(std::move(options), std::move(*journal), std::move(*log), std::move(view), beginning.submitted);
  // One that died before it was told anything has left nothing to go on with.
  if (!*past || (*past)->steps.empty()) return am.Run(make_backend, std::nullopt);
  return am.Run(make_backend, Resumption{**past, written - std::min(written, beginning.journal_entries)});
}

}  // namespace howdah::am
