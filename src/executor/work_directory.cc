#include "work_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/archive.h"
#include "howdah/os/files/directories_below.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/outputs.h"
#include "manifest.h"

namespace howdah::executor {
namespace {

constexpr size_t kManifestLimit = size_t{64} << 20;

// Copies the content of a directory, or unpacks an archive.
Status FillFromSource(const std::string& source, const TaskOptions& options) {
  struct stat info {};
  if (::stat(source.c_str(), &info) != 0) return os::files::SystemError("reading the staged source " + source);
  if (S_ISDIR(info.st_mode)) return os::files::CopyTree(source, options.work_dir);
  return os::files::Unpack(source, options.work_dir);
}

// Rejects a target whose path leads through a link of the source, because such a link may lead anywhere.
Status AddFile(const jobspec::File& file, const std::string& staged, const TaskOptions& options) {
  const size_t slash = file.to.find_last_of('/');
  const std::string parent = slash == std::string::npos ? "." : file.to.substr(0, slash);
  const auto made = os::files::MakeDirectoriesBelow(options.work_dir, file.unpack ? file.to : parent);
  if (!made.ok()) return made.error().While("files: to: " + file.to);
  const std::string target = options.work_dir + "/" + file.to;
  return file.unpack ? os::files::Unpack(staged, target) : os::files::CopyTree(staged, target);
}

Status FillFromManifest(const std::string& path, const TaskOptions& options) {
  HOWDAH_TRY(const std::string text, os::files::ReadFile(path, kManifestLimit));
  const auto manifest = ParseManifest(text);
  if (!manifest) return manifest.error().While("reading " + path);
  return ApplyManifest(*manifest, options.role, options.staging_dir, options.work_dir);
}

}  // namespace

bool HasFiles(const jobspec::JobSpec& spec) { return !spec.source.empty() || !jobspec::AllFiles(spec).empty(); }

Status FillWorkDirectory(const TaskOptions& options, const jobspec::JobSpec& spec) {
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(options.work_dir));
  // An earlier executor of the task has filled the directory, and its attempts have changed it. They created the
  // directory of the progress files after that.
  if (::access(os::files::ProgressDirectory(options.work_dir).c_str(), F_OK) == 0) return {};
  const std::string manifest = options.staging_dir + "/manifest.json";
  if (::access(manifest.c_str(), F_OK) == 0) return FillFromManifest(manifest, options);
  if (!spec.source.empty()) {
    HOWDAH_TRY_STATUS(FillFromSource(options.staging_dir + "/source", options));
    // The working directory must be writable even if the source is not.
    ::chmod(options.work_dir.c_str(), 0755);
  }
  const std::vector<jobspec::FileOfRole> files = jobspec::AllFiles(spec);
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].role.empty() && files[i].role != options.role) continue;
    const std::string staged = options.staging_dir + "/files/" + std::to_string(i);
    HOWDAH_TRY_STATUS(AddFile(files[i].file, staged, options));
  }
  return {};
}

}  // namespace howdah::executor
