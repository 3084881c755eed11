#include "staging.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/jobspec/left_out.h"
#include "howdah/os/files/archive.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/source_filter.h"

namespace howdah::backend::local {
namespace {

bool IsDirectory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Whether the ignore rules (.howdahignore, .gitignore) apply to the source. TonY copies everything.
bool IsFiltered(const jobspec::JobSpec& spec) { return !spec.tony_env && IsDirectory(spec.source); }

int64_t SourceSize(const jobspec::JobSpec& spec) {
  if (!IsFiltered(spec)) return os::files::TreeSize(spec.source).value_or(0);
  const auto survey = os::files::SurveySource(spec.source);
  return survey.ok() ? survey->bytes : 0;
}

// Writes the names of the files that are not copied, for the diagnosis of tasks that do not find them.
Status WriteLeftOut(const jobspec::JobSpec& spec, const std::string& path) {
  const auto survey = IsFiltered(spec) ? os::files::SurveySource(spec.source) : os::files::SourceSurvey();
  if (!survey.ok()) return survey.error();
  const std::string text = jobspec::LeftOut{survey->left_out, survey->rules_file}.Encode();
  return text.empty() ? Status() : os::files::WriteFileAtomically(path, text, 0600);
}

int64_t TotalSize(const jobspec::JobSpec& spec) {
  int64_t size = spec.source.empty() ? 0 : SourceSize(spec);
  for (const auto& [file, role] : jobspec::AllFiles(spec)) size += os::files::TreeSize(file.from).value_or(0);
  return size;
}

Status Create(const std::string& directory) {
  if (!directory.starts_with("/")) return {};
  return os::files::MakeDirectories(directory);
}

// Whether the directory exists or can be created.
Status CheckCreate(const std::string& directory) {
  const std::string what = "making the directory " + directory;
  struct stat info {};
  for (std::string existing = directory; existing.starts_with("/");) {
    if (::stat(existing.c_str(), &info) == 0) {
      if (!S_ISDIR(info.st_mode)) return os::files::SystemError(what, ENOTDIR);
      const bool may_create = existing == directory || ::access(existing.c_str(), W_OK | X_OK) == 0;
      return may_create ? Status() : Status(os::files::SystemError(what));
    }
    if (errno != ENOENT) return os::files::SystemError(what);
    existing.resize(std::max<size_t>(existing.find_last_of('/', existing.find_last_not_of('/')), 1));
  }
  return {};
}

}  // namespace

std::vector<std::string> UncreatableDirectories(const jobspec::JobSpec& spec) {
  std::vector<std::string> why;
  for (const auto& [key, directory] :
       {std::pair("checkpoint.dir", spec.checkpoint.dir), std::pair("tensorboard.logdir", spec.tensorboard_logdir)}) {
    const Status created = CheckCreate(directory);
    if (!created.ok()) why.push_back(std::string(key) + ": " + created.error().message + "; choose another directory");
  }
  return why;
}

Status Stage(const jobspec::JobSpec& spec, const JobFiles& files,
             const std::function<void(int64_t done, int64_t total)>& on_staged) {
  os::files::OnBytes on_bytes;
  if (on_staged) {
    on_bytes = [&on_staged, done = int64_t{0}, total = TotalSize(spec)](int64_t more) mutable {
      on_staged(done += more, total);
    };
  }
  const std::vector<jobspec::FileOfRole> all = jobspec::AllFiles(spec);
  if (!spec.source.empty() || !all.empty()) {
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(files.staging() + "/files", 0700));
  }
  if (!spec.source.empty()) {
    const Status copied = os::files::CopyTree(spec.source, files.staging() + "/source", on_bytes,
                                              IsFiltered(spec) ? os::files::SkipsOfSource(spec.source) : nullptr);
    if (!copied.ok()) return copied.error().While("staging source " + spec.source);
    HOWDAH_TRY_STATUS(WriteLeftOut(spec, files.staging() + "/" + jobspec::kLeftOutFile));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& from = all[i].file.from;
    const Status copied = os::files::CopyTree(from, files.staging() + "/files/" + std::to_string(i), on_bytes);
    if (!copied.ok()) return copied.error().While("staging " + from);
  }
  if (!spec.python_archive.empty()) {
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(files.python()));
    // A packed environment may link to the machine's interpreter (bin/python -> /usr/bin/python3).
    const Status unpacked = os::files::Unpack(spec.python_archive, files.python(), os::files::OutwardLinks::kKeep);
    if (!unpacked.ok()) return unpacked.error().While("unpacking python archive " + spec.python_archive);
  }
  if (const Status made = Create(spec.checkpoint.dir); !made.ok()) return made.error().While("creating checkpoint.dir");
  if (const Status made = Create(spec.tensorboard_logdir); !made.ok())
    return made.error().While("creating tensorboard.logdir");
  return {};
}

}  // namespace howdah::backend::local
