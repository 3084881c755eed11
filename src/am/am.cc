#include "howdah/am/am.h"

#include "application_master.h"

namespace howdah::am {

Status RunAm(AmOptions options, const MakeBackend& make_backend) {
  auto entries = ReadJournal(options.journal);
  if (!entries.ok()) return entries.error();
  history::JobView view;
  for (const core::JournalEntry& entry : *entries) view.Apply(entry);
  auto journal = JournalFile::Open(options.journal);
  if (!journal.ok()) return journal.error();
  ApplicationMaster am(std::move(options), std::move(*journal), std::move(view));
  return am.Run(make_backend);
}

}  // namespace howdah::am
