#include "tony_history.h"

#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "howdah/storage/history/write.h"
#include "local_files.h"

namespace howdah::backend::local {
namespace {

std::vector<core::JournalEntry> EntriesOf(const std::string& journal) {
  std::vector<core::JournalEntry> entries;
  for (size_t begin = 0; begin < journal.size();) {
    const size_t end = std::min(journal.find('\n', begin), journal.size());
    if (auto entry = journal::DecodeEntry(std::string_view(journal).substr(begin, end - begin))) {
      entries.push_back(std::move(*entry));
    }
    begin = end + 1;
  }
  return entries;
}

}  // namespace

bool CanWriteTonyHistory(const jobspec::JobSpec& spec) { return OpenLocalFiles(spec.tony_history).ok(); }

Status BeginTonyHistory(const jobspec::JobSpec& spec, const std::string& journal, Instant now) {
  const auto files = OpenLocalFiles(spec.tony_history);
  if (!files.ok()) return {};
  return storage::history::Begin(**files, {spec, EntriesOf(journal), {os::process::NodeName(), ""}}, now);
}

Status FinishTonyHistory(const jobspec::JobSpec& spec, const std::string& journal) {
  const auto files = OpenLocalFiles(spec.tony_history);
  if (!files.ok()) return {};
  return storage::history::End(**files, {spec, EntriesOf(journal), {os::process::NodeName(), ""}});
}

Status FinishTonyHistoryOf(const JobFiles& files, const std::string& journal) {
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.spec()));
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(text));
  return FinishTonyHistory(spec, journal);
}

}  // namespace howdah::backend::local
