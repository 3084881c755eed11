#include "howdah/autoscale/runner/directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/os/process/inspect.h"

namespace howdah::autoscale::runner {
namespace {

constexpr size_t kLongestName = 64;
constexpr const char* kPaused = "paused";

bool IsName(const std::string& name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_fine);
}

// A pid with the time at which its process started, so that a later process with the same pid is another one.
std::string IdentityOf(pid_t pid) {
  const auto started = os::process::StartTicks(pid);
  return started ? std::to_string(pid) + " " + std::to_string(*started) + "\n" : "";
}

std::string RandomText() {
  std::random_device random;
  const uint32_t number = random();
  return Hex(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
}

}  // namespace

Result<Directory> Directory::Open(const std::string& home, const std::string& name) {
  if (!IsName(name)) {
    return Error{ErrorCode::kUsage,
                 "'" + name + "' is not a name for an autoscaler; write at most 64 letters, digits, - and _"};
  }
  Directory directory(home + "/autoscale/" + name);
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory.path_, 0700));
  return directory;
}

Result<os::files::FileLock> Directory::Lock() const {
  HOWDAH_TRY(auto lock, os::files::FileLock::Try(path_ + "/lock"));
  if (!lock) {
    return Error{ErrorCode::kUnavailable,
                 "the process " + Runner() + " runs this autoscaler already; its files are in " + path_};
  }
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(path_ + "/pid", IdentityOf(::getpid())));
  return std::move(*lock);
}

// Does not touch the lock: a process that tests it would hold it for a moment.
std::string Directory::Runner() const {
  const auto text = os::files::ReadFile(path_ + "/pid");
  if (!text.ok()) return "";
  const std::string pid = text->substr(0, text->find(' '));
  return *text == IdentityOf(std::atoi(pid.c_str())) ? pid : "";
}

Result<State> Directory::ReadState(const std::string& prefix) const {
  const std::string file = path_ + "/state.json";
  const auto text = os::files::ReadFile(file);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) {
    State state;
    state.prefix = prefix + "-" + RandomText();
    return state;
  }
  if (!text.ok()) return text.error();
  auto state = autoscale::ReadState(*text);
  if (state.ok()) return state;
  return Error{ErrorCode::kUsage, file + " " + state.error().message +
                                      "; remove it after checking that no order of machines is under way"};
}

Status Directory::WriteState(const std::string& text) const {
  return os::files::WriteFileAtomically(path_ + "/state.json", text);
}

Status Directory::AppendLog(const std::string& line) const {
  const os::files::Fd file(::open(log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.valid()) return os::files::SystemError("opening " + log_path());
  return os::files::WriteAll(file.get(), line, log_path());
}

std::string Directory::LastLogLine() const { return os::files::LastLine(log_path()); }

Result<Directory::Wish> Directory::ReadWish() const {
  const auto text = os::files::ReadFile(path_ + "/wish");
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return Wish();
  if (!text.ok()) return text.error();
  return Wish{text->starts_with(kPaused), *text};
}

Status Directory::WriteWish(bool paused) const {
  return os::files::WriteFileAtomically(path_ + "/wish", (paused ? kPaused : "running") + (" " + RandomText()) + "\n");
}

}  // namespace howdah::autoscale::runner
