#include "howdah/client/saved_applications.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "howdah/base/text.h"
#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::client {
namespace {

constexpr mode_t kOnlyOwner = 0700, kOnlyOwnerFile = 0600;
constexpr size_t kLongestName = 200, kLongestJobFile = size_t{16} << 20, kLongestId = 1024;
constexpr ptrdiff_t kNamesInMessage = 10;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

Status CheckName(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kLongestName && IsLetterOrDigit(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
  if (good) return {};
  return Error{ErrorCode::kUsage, "invalid application name " + keyfile::Quoted(name) +
                                      "; use letters, digits, '.', '_' and '-', beginning with a letter or a digit, "
                                      "at most " +
                                      std::to_string(kLongestName)};
}

bool IsDirectory(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<SavedApplications> SavedApplications::Open(const std::string& tool) {
  const auto variable = [](const std::string& name) { return Variable(name).value_or(""); };
  HOWDAH_TRY(const std::string home, HowdahHome(variable, os::process::WorkingDirectory));
  return SavedApplications(tool, home + "/apps/" + tool);
}

Result<std::string> SavedApplications::Create(const std::string& name) const {
  HOWDAH_TRY_STATUS(CheckName(name));
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory_, kOnlyOwner));
  const std::string path = directory_ + "/" + name;
  if (::mkdir(path.c_str(), kOnlyOwner) == 0) return path;
  if (errno != EEXIST) return Failed("creating " + path + ": " + std::strerror(errno));
  return Error::WithRemedy(ErrorCode::kUsage, "the " + tool_ + " application '" + name + "' already exists in " + path,
                           "destroy it first, or choose another name");
}

Result<std::string> SavedApplications::Directory(const std::string& name) const {
  HOWDAH_TRY_STATUS(CheckName(name));
  std::string path = directory_ + "/" + name;
  if (IsDirectory(path)) return path;
  HOWDAH_TRY(const std::vector<std::string> names, Names());
  std::string text = "there is no " + tool_ + " application '" + name + "'";
  if (names.empty()) return Error{ErrorCode::kNotFound, text + "; none has been created"};
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const std::string_view nearest = keyfile::Nearest(name, views); !nearest.empty()) {
    return Error{ErrorCode::kNotFound, text + "; did you mean '" + std::string(nearest) + "'?"};
  }
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(std::ssize(names), kNamesInMessage));
  const bool all = first.size() == names.size();
  return Error{ErrorCode::kNotFound, text + "; there are: " + Join(first) + (all ? "" : ", ...")};
}

Status SavedApplications::SetJobFile(const std::string& name, std::string_view text) const {
  HOWDAH_TRY(const std::string directory, Directory(name));
  return os::files::WriteFileAtomically(directory + "/job.yaml", text, kOnlyOwnerFile);
}

Result<std::string> SavedApplications::JobFile(const std::string& name) const {
  HOWDAH_TRY(const std::string directory, Directory(name));
  return os::files::ReadFile(directory + "/job.yaml", kLongestJobFile);
}

Status SavedApplications::SetJob(const std::string& name, const JobId& id) const {
  HOWDAH_TRY(const std::string directory, Directory(name));
  return os::files::WriteFileAtomically(directory + "/job", id.text + "\n", kOnlyOwnerFile);
}

Result<std::optional<JobId>> SavedApplications::Job(const std::string& name) const {
  HOWDAH_TRY(const std::string directory, Directory(name));
  const auto text = os::files::ReadFile(directory + "/job", kLongestId);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::optional<JobId>();
  if (!text.ok()) return text.error();
  const std::string id = text->substr(0, text->find('\n'));
  return id.empty() ? std::optional<JobId>() : JobId{id};
}

Result<std::vector<std::string>> SavedApplications::Names() const {
  auto entries = os::files::ListDirectory(directory_);
  if (!entries.ok() && entries.error().code == ErrorCode::kNotFound) return std::vector<std::string>();
  if (!entries.ok()) return entries.error();
  std::erase_if(*entries, [this](const std::string& name) {
    return !CheckName(name).ok() || !IsDirectory(directory_ + "/" + name);
  });
  return std::move(*entries);
}

Status SavedApplications::Remove(const std::string& name) const {
  HOWDAH_TRY(const std::string directory, Directory(name));
  return os::files::RemoveTree(directory);
}

}  // namespace howdah::client
