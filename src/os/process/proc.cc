#include "proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "howdah/base/number.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

namespace {

void ReadInto(const char* path, std::string& text) {
  text.clear();
  const files::Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return;
  std::array<char, 4096> buffer;
  for (ssize_t size = ::read(fd.get(), buffer.data(), buffer.size()); size > 0;
       size = ::read(fd.get(), buffer.data(), buffer.size())) {
    text.append(buffer.data(), static_cast<size_t>(size));
  }
}

}  // namespace

std::string ReadProcFile(const std::string& path) {
  std::string text;
  ReadInto(path.c_str(), text);
  return text;
}

void ReadProcFile(pid_t pid, const char* name, std::string& text) {
  std::array<char, 48> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", pid, name);
  ReadInto(path.data(), text);
}

std::optional<ProcStat> ParseProcStat(const std::string& text) {
  const size_t name_end = text.rfind(')');  // the name may contain spaces and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  ProcStat stat;
  long long user = 0, system = 0, children_user = 0, children_system = 0;
  const int fields = std::sscanf(
      text.c_str() + name_end + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld %*d %*d %d",
      &stat.state, &stat.parent, &stat.group, &user, &system, &children_user, &children_system, &stat.threads);
  if (fields != 8) return std::nullopt;
  stat.ticks = user + system + children_user + children_system;
  return stat;
}

std::optional<ProcStat> ReadProcStat(pid_t pid) {
  std::string text;
  ReadProcFile(pid, "stat", text);
  return ParseProcStat(text);
}

std::optional<ProcMemory> ParseProcMemory(const std::string& status) {
  const auto bytes_of = [&](std::string_view key) {
    const size_t at = status.find(key);
    long long kib = 0;
    if (at != std::string::npos) std::sscanf(status.c_str() + at + key.size(), "%lld", &kib);
    return int64_t{kib} * 1024;
  };
  if (status.empty()) return std::nullopt;
  return ProcMemory{bytes_of("\nRssAnon:"), bytes_of("\nRssFile:"), bytes_of("\nRssShmem:"), bytes_of("\nVmHWM:")};
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> all;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return all;
  while (const dirent* entry = ::readdir(proc)) {
    if (const auto pid = ParseNumber<pid_t>(entry->d_name)) all.push_back(*pid);
  }
  ::closedir(proc);
  return all;
}

}  // namespace howdah::os::process
