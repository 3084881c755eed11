// Facts about this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

std::string NodeName();
// A random id that the kernel chose at boot, or "" if it is unknown.
std::string BootId();
// The path of the running program, or "" if it is unknown.
std::string ProgramPath();
// Returns the absolute path of the current directory, or an error if it has none, usually because it was removed.
Result<std::string> WorkingDirectory();
// Protects the keys in the memory of this process and its forks: keeps them out of core files, and hides the memory
// from other processes of the same user. A program that is executed later is not affected: it keeps its core limit. The
// entries of this process in /proc then belong to root.
void ProtectMemory();
// Returns the smaller of the installed memory and the cgroup limit. The limit may be that of cgroup v1 or v2, and of
// this cgroup or any ancestor.
int64_t TotalMemoryBytes();
// The number of cores this process may use.
int Cores();

struct Gpu {
  int index = 0;
  std::string name;
  int64_t memory_bytes = 0;
  // Empty if nvidia-smi does not report them: "GPU-5c1d…", "00000000:01:00.0".
  std::string uuid, bus_id;
};
// Runs `nvidia-smi`, found in the given PATH, for at most `limit`. Returns no GPUs if it is not installed or does not
// answer.
std::vector<Gpu> ListGpus(std::string_view path, std::chrono::milliseconds limit);
// One line per GPU: "0, NVIDIA A100, 81920, GPU-5c1d…, 00000000:01:00.0". The last two values may be missing.
std::vector<Gpu> ParseGpus(std::string_view text);

// Runs a program to its end and returns its stdout, at most 1 MiB. Returns an error if the program cannot be started,
// exits with a code other than 0, or still runs after `limit`; in the last case it is killed.
Result<std::string> RunForOutput(const SpawnRequest& request, std::chrono::milliseconds limit);

}  // namespace howdah::os::process
