#include "howdah/storage/history/write.h"

#include <algorithm>

#include "howdah/storage/history/read.h"

namespace howdah::storage::history {
namespace {

using compat::tony::history::FileName;

journal::JobView Fold(const std::vector<core::JournalEntry>& journal) {
  journal::JobView view;
  for (const core::JournalEntry& entry : journal) view.Apply(entry);
  return view;
}

// The time at which the first application master started, or the time of submission if none has started.
Instant StartOf(const std::vector<core::JournalEntry>& journal, const journal::JobView& view) {
  for (const core::JournalEntry& entry : journal) {
    const auto* job = std::get_if<core::JobChanged>(&entry.change);
    if (job != nullptr && job->type == core::JobChanged::Type::kAmStarted) return entry.time;
  }
  return view.submitted.value_or(Instant());
}

// The job's directory, and which of its files exist already.
struct Directory {
  std::string path;
  bool has_configuration = false, ended = false;
  std::string in_progress;  // name of the file of events in progress; empty if there is none
};

Result<Directory> FindFiles(storage::Files& files, const Job& job, const journal::JobView& view) {
  const std::string root = storage::PathOfUri(job.spec.tony_history);
  Directory directory;
  directory.path = LocationOf(root).intermediate + "/" + compat::tony::history::ApplicationOf(view.id, view.submitted);
  const auto entries = files.List(directory.path);
  if (!entries.ok() && entries.error().code != ErrorCode::kNotFound) return entries.error();
  if (!entries.ok()) return directory;
  for (const storage::Files::Entry& entry : *entries) {
    if (entry.name == compat::tony::history::kConfigurationFile) directory.has_configuration = true;
    const auto name = compat::tony::history::ParseFileName(entry.name);
    if (name && name->completed) directory.ended = true;
    if (name && !name->completed) directory.in_progress = entry.name;
  }
  return directory;
}

Status WriteConfiguration(storage::Files& files, const Job& job, const journal::JobView& view,
                          const Directory& directory) {
  if (directory.has_configuration) return {};
  HOWDAH_TRY_STATUS(files.MakeDirectories(directory.path));
  return files.Write(directory.path + "/" + compat::tony::history::kConfigurationFile,
                     compat::tony::history::WriteConfiguration(compat::tony::history::SettingsOf(job.spec, view)));
}

Error WithLocation(const Error& error, const Job& job) {
  return error.While("writing the history for TonY's tools to " + job.spec.tony_history);
}

Status WriteEvents(storage::Files& files, const Job& job, const Directory& directory, const FileName& name) {
  HOWDAH_TRY(const auto bytes, compat::tony::history::WriteEvents(
                                   compat::tony::history::EventsOf(job.journal, name.application, job.am)));
  return files.Write(directory.path + "/" + compat::tony::history::WriteFileName(name), bytes);
}

// Removes the file of events in progress once the final file exists, because TonY's readers expect only one of them.
Status RemoveInProgress(storage::Files& files, const Directory& directory) {
  return directory.in_progress.empty() ? Status() : files.Delete(directory.path + "/" + directory.in_progress);
}

Status WriteBeginning(storage::Files& files, const Job& job, Instant now) {
  const journal::JobView view = Fold(job.journal);
  HOWDAH_TRY(const auto directory, FindFiles(files, job, view));
  HOWDAH_TRY_STATUS(WriteConfiguration(files, job, view, directory));
  if (!directory.in_progress.empty() || directory.ended) return {};
  FileName name = compat::tony::history::EndName(view, now);
  name.completed.reset();
  return WriteEvents(files, job, directory, name);
}

Status WriteEnd(storage::Files& files, const Job& job) {
  const journal::JobView view = Fold(job.journal);
  HOWDAH_TRY(const auto directory, FindFiles(files, job, view));
  if (directory.ended) return RemoveInProgress(files, directory);
  HOWDAH_TRY_STATUS(WriteConfiguration(files, job, view, directory));
  const auto in_progress = compat::tony::history::ParseFileName(directory.in_progress);
  const FileName name =
      compat::tony::history::EndName(view, in_progress ? in_progress->started : StartOf(job.journal, view));
  HOWDAH_TRY_STATUS(WriteEvents(files, job, directory, name));
  return RemoveInProgress(files, directory);
}

}  // namespace

Status Begin(storage::Files& files, const Job& job, Instant now) {
  const Status written = WriteBeginning(files, job, now);
  return written.ok() ? written : Status(WithLocation(written.error(), job));
}

Status End(storage::Files& files, const Job& job) {
  const Status written = WriteEnd(files, job);
  return written.ok() ? written : Status(WithLocation(written.error(), job));
}

}  // namespace howdah::storage::history
