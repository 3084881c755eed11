#include "proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "howdah/os/files/fd.h"

namespace howdah::os::process {

std::string ReadProcFile(const std::string& path) {
  const files::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!fd.valid()) return text;
  for (char buffer[4096];;) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

std::optional<ProcStat> ReadProcStat(pid_t pid) {
  const std::string text = ReadProcFile("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = text.rfind(')');  // the name may contain spaces and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  ProcStat stat;
  long long user = 0, system = 0, children_user = 0, children_system = 0;
  const int fields =
      std::sscanf(text.c_str() + name_end + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld",
                  &stat.state, &stat.parent, &stat.group, &user, &system, &children_user, &children_system);
  if (fields != 7) return std::nullopt;
  stat.ticks = user + system + children_user + children_system;
  return stat;
}

std::optional<ProcMemory> ReadProcMemory(pid_t pid) {
  const std::string text = ReadProcFile("/proc/" + std::to_string(pid) + "/status");
  const auto bytes_of = [&](std::string_view key) {
    const size_t at = text.find("\n" + std::string(key) + ":");
    long long kib = 0;
    if (at != std::string::npos) std::sscanf(text.c_str() + at + key.size() + 2, "%lld", &kib);
    return int64_t{kib} * 1024;
  };
  if (text.empty()) return std::nullopt;
  return ProcMemory{bytes_of("RssAnon"), bytes_of("RssFile"), bytes_of("RssShmem"), bytes_of("VmHWM")};
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> all;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return all;
  while (const dirent* entry = ::readdir(proc)) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size()) all.push_back(pid);
  }
  ::closedir(proc);
  return all;
}

}  // namespace howdah::os::process
