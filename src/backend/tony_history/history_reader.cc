#include "history_reader.h"

#include <utility>

#include "howdah/compat/tony/history/job.h"
#include "howdah/journal/ledger.h"

namespace howdah::backend::tony_history {

using compat::tony::history::kJobIdSetting;
using storage::history::Found;

HistoryReader::HistoryReader(std::unique_ptr<storage::Files> files, storage::history::Location location,
                             const std::string& user)
    : files_(std::move(files)), location_(std::move(location)), user_(compat::tony::history::UserInFileName(user)) {}

// Whether the user ran the job with Howdah, or may have done so.
bool HistoryReader::IsOwn(const Found& found) {
  if (found.name.user != user_) return false;
  if (const auto known = own_.find(found.name.application); known != own_.end()) return known->second;
  const auto settings = storage::history::ReadConfiguration(*files_, found);
  if (!settings.ok()) return true;  // until a later scan can read it
  return own_[found.name.application] = !compat::tony::history::ValueOf(*settings, kJobIdSetting).empty();
}

Result<std::vector<Found>> HistoryReader::Scan(std::optional<Instant> since) {
  HOWDAH_TRY(auto scanned, storage::history::Scan(*files_, location_, since));
  std::erase_if(scanned.jobs, [this](const Found& found) { return IsOwn(found); });
  for (const Found& found : scanned.jobs) known_[found.name.application] = found;
  return std::move(scanned.jobs);
}

Result<Found> HistoryReader::Find(const JobId& id) {
  if (const auto known = known_.find(id.text); known != known_.end()) {
    HOWDAH_TRY(const auto found, storage::history::FindIn(*files_, known->second.directory, known->second.moved));
    if (found) return *found;
  }
  // The job is new, or its directory was moved.
  HOWDAH_TRY(const auto jobs, Scan(std::nullopt));
  for (const Found& found : jobs) {
    if (found.name.application == id.text) return found;
  }
  known_.erase(id.text);
  return Error{ErrorCode::kNotFound,
               "the job " + id.text + " is neither in " + location_.intermediate + " nor in " + location_.finished};
}

Result<HistoryReader::Settings> HistoryReader::ReadSettings(const Found& found) {
  HOWDAH_TRY(Settings settings, storage::history::ReadConfiguration(*files_, found));
  std::erase_if(settings, [](const auto& setting) { return setting.name == kJobIdSetting; });
  return settings;
}

Result<std::vector<core::JournalEntry>> HistoryReader::ReadEntries(const JobId& id) {
  HOWDAH_TRY(const Found found, Find(id));
  const auto settings = ReadSettings(found);
  HOWDAH_TRY(const auto events, storage::history::ReadEvents(*files_, found));
  return compat::tony::history::JournalOf(found.name, settings.ok() ? *settings : Settings(), events.events,
                                          journal::kTonyHistory);
}

}  // namespace howdah::backend::tony_history
