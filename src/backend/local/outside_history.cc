#include "outside_history.h"

#include "howdah/history/job_view.h"
#include "howdah/historyfiles/write.h"
#include "howdah/process/clock.h"
#include "howdah/process/files.h"
#include "howdah/process/machine.h"
#include "howdah/spec/job_file.h"
#include "tree_files.h"

namespace howdah::local {
namespace {

std::vector<core::JournalEntry> EntriesOf(const std::string& journal) {
  std::vector<core::JournalEntry> entries;
  for (size_t begin = 0; begin < journal.size();) {
    const size_t end = std::min(journal.find('\n', begin), journal.size());
    if (auto entry = history::DecodeEntry(std::string_view(journal).substr(begin, end - begin))) {
      entries.push_back(std::move(*entry));
    }
    begin = end + 1;
  }
  return entries;
}

}  // namespace

bool ReachesHistory(const spec::JobSpec& spec) { return OpenTree(spec.tony_history).ok(); }

Status BeginHistory(const spec::JobSpec& spec, const std::string& journal) {
  const auto files = OpenTree(spec.tony_history);
  if (!files.ok()) return {};
  return historyfiles::Begin(**files, {spec, EntriesOf(journal), {process::NodeName(), ""}}, process::Clock().Now());
}

Status EndHistory(const spec::JobSpec& spec, const std::string& journal) {
  const auto files = OpenTree(spec.tony_history);
  if (!files.ok()) return {};
  return historyfiles::End(**files, {spec, EntriesOf(journal), {process::NodeName(), ""}});
}

Status EndHistoryOf(const JobFiles& files, const std::string& journal) {
  const auto text = process::ReadFile(files.spec());
  if (!text.ok()) return text.error();
  const auto spec = spec::ReadEffective(*text);
  if (!spec.ok()) return spec.error();
  return EndHistory(*spec, journal);
}

}  // namespace howdah::local
