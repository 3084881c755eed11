// The machine this process is on.
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
// The smaller of what is installed and what the cgroup (v1 or v2, own or any above it) allows.
int64_t TotalMemoryBytes();
// The cores this process may use.
int Cores();

struct Gpu {
  int index = 0;
  std::string name;
  int64_t memory_bytes = 0;
};
// Asked of `nvidia-smi` of the given PATH, which may take as long as `limit`; empty: there is none, or it does not
// answer.
std::vector<Gpu> ListGpus(std::string_view path, std::chrono::milliseconds limit);
std::vector<Gpu> ParseGpus(std::string_view text);  // "0, NVIDIA A100, 81920" a line

// Runs a program to its end and returns what it wrote to stdout, at most 1 MiB of it; an error if it cannot be started,
// ends with another code than 0, or is not done within `limit` (it is killed then).
Result<std::string> RunForOutput(const SpawnRequest& request, std::chrono::milliseconds limit);

}  // namespace howdah::os::process
