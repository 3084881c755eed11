// Reads the kernel's log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::diagnosis {

// An error report of NVIDIA's driver.
struct Xid {
  std::string pci;  // as PciAddress returns it
  int number = 0;
};
// Reads lines like "NVRM: Xid (PCI:0000:3b:00): 79, pid=812, name=python, GPU has fallen off the bus."
std::vector<Xid> XidsIn(std::string_view kernel_log);

// A process that the kernel's OOM killer has killed.
struct OomKill {
  int pid = 0;
  bool of_cgroup = false;  // true: the process's cgroup had reached its limit; false: the machine was out of memory
};
// Reads lines like "Out of memory: Killed process 812 (python3) total-vm:8392044kB, anon-rss:4041236kB, ..." and
// "Memory cgroup out of memory: Killed process 812 (python3) ...".
std::vector<OomKill> OomKillsIn(std::string_view kernel_log);

// Converts the notations of nvidia-smi ("00000000:3B:00.0"), of the kernel ("0000:3b:00") and "3b:00.0" to domain, bus
// and device: "0000:3b:00". Returns "" if the text is not a PCI address.
std::string PciAddress(std::string_view text);

}  // namespace howdah::diagnosis
