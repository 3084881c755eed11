// Reads the state of single processes from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace howdah::os::process {

struct ProcStat {
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  int64_t ticks = 0;  // CPU time of the process and of its reaped children
  int threads = 0;
  bool ended() const { return state == 'Z' || state == 'X'; }
};
std::optional<ProcStat> ReadProcStat(pid_t pid);
std::optional<ProcStat> ParseProcStat(const std::string& text);

struct ProcMemory {
  int64_t anonymous = 0, file = 0, shared = 0;  // resident bytes of each kind of memory
  int64_t resident_peak = 0;
};
std::optional<ProcMemory> ParseProcMemory(const std::string& status);

// The ids of all processes.
std::vector<pid_t> AllProcesses();

// Reads a small file of /proc. Returns "" if it cannot be read.
std::string ReadProcFile(const std::string& path);
// Reads a file of a process into `text`, and reuses the memory of `text`. If the file cannot be read, leaves `text`
// empty and errno as open(2) has set it.
void ReadProcFile(pid_t pid, const char* name, std::string& text);

}  // namespace howdah::os::process
