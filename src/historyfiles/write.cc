#include "howdah/historyfiles/write.h"

#include <algorithm>

#include "howdah/historyfiles/read.h"

namespace howdah::historyfiles {
namespace {

using tonyhistory::FileName;

history::JobView Fold(const std::vector<core::JournalEntry>& journal) {
  history::JobView view;
  for (const core::JournalEntry& entry : journal) view.Apply(entry);
  return view;
}

// When the first application master began; before that, when the job was submitted.
Instant StartOf(const std::vector<core::JournalEntry>& journal, const history::JobView& view) {
  for (const core::JournalEntry& entry : journal) {
    const auto* job = std::get_if<core::JobChanged>(&entry.change);
    if (job != nullptr && job->type == core::JobChanged::Type::kAmStarted) return entry.time;
  }
  return view.submitted.value_or(Instant());
}

// The job's directory, and what is in it.
struct Directory {
  std::string path;
  bool has_configuration = false, ended = false;
  std::string in_progress;  // the name of the file; empty: there is none
};

Result<Directory> Look(backend::Files& files, const Job& job, const history::JobView& view) {
  const std::string root = backend::PathOfUri(job.spec.tony_history);
  Directory directory;
  directory.path = LocationOf(root).intermediate + "/" + tonyhistory::ApplicationOf(view.id, view.submitted);
  const auto entries = files.List(directory.path);
  if (!entries.ok() && entries.error().code != ErrorCode::kNotFound) return entries.error();
  if (!entries.ok()) return directory;
  for (const backend::Files::Entry& entry : *entries) {
    if (entry.name == tonyhistory::kConfigurationFile) directory.has_configuration = true;
    const auto name = tonyhistory::ParseFileName(entry.name);
    if (name && name->completed) directory.ended = true;
    if (name && !name->completed) directory.in_progress = entry.name;
  }
  return directory;
}

Status WriteConfiguration(backend::Files& files, const Job& job, const history::JobView& view,
                          const Directory& directory) {
  if (directory.has_configuration) return {};
  if (Status made = files.MakeDirectories(directory.path); !made.ok()) return made;
  return files.Write(directory.path + "/" + tonyhistory::kConfigurationFile,
                     tonyhistory::WriteConfiguration(tonyhistory::SettingsOf(job.spec, view)));
}

Error Told(const Error& error, const Job& job) {
  return error.While("writing the history for TonY's tools to " + job.spec.tony_history);
}

Status WriteEvents(backend::Files& files, const Job& job, const Directory& directory, const FileName& name) {
  const auto bytes = tonyhistory::WriteEvents(tonyhistory::EventsOf(job.journal, name.application, job.am));
  if (!bytes.ok()) return bytes.error();
  return files.Write(directory.path + "/" + tonyhistory::WriteFileName(name), *bytes);
}

// What has ended is not in progress, for TonY's readers take the one or the other.
Status RemoveInProgress(backend::Files& files, const Directory& directory) {
  return directory.in_progress.empty() ? Status() : files.Delete(directory.path + "/" + directory.in_progress);
}

Status WriteBeginning(backend::Files& files, const Job& job, Instant now) {
  const history::JobView view = Fold(job.journal);
  const auto directory = Look(files, job, view);
  if (!directory.ok()) return directory.error();
  if (Status written = WriteConfiguration(files, job, view, *directory); !written.ok()) return written;
  if (!directory->in_progress.empty() || directory->ended) return {};
  FileName name = tonyhistory::EndName(view, now);
  name.completed.reset();
  return WriteEvents(files, job, *directory, name);
}

Status WriteEnd(backend::Files& files, const Job& job) {
  const history::JobView view = Fold(job.journal);
  const auto directory = Look(files, job, view);
  if (!directory.ok()) return directory.error();
  if (directory->ended) return RemoveInProgress(files, *directory);
  if (Status written = WriteConfiguration(files, job, view, *directory); !written.ok()) return written;
  const auto in_progress = tonyhistory::ParseFileName(directory->in_progress);
  const FileName name = tonyhistory::EndName(view, in_progress ? in_progress->started : StartOf(job.journal, view));
  if (Status written = WriteEvents(files, job, *directory, name); !written.ok()) return written;
  return RemoveInProgress(files, *directory);
}

}  // namespace

Status Begin(backend::Files& files, const Job& job, Instant now) {
  const Status written = WriteBeginning(files, job, now);
  return written.ok() ? written : Status(Told(written.error(), job));
}

Status End(backend::Files& files, const Job& job) {
  const Status written = WriteEnd(files, job);
  return written.ok() ? written : Status(Told(written.error(), job));
}

}  // namespace howdah::historyfiles
