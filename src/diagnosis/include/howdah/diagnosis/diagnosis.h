// Why did it fail? From what an executor saw at the end of a process to a cause and an advice. Pure: text in, text out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::diagnosis {

// Who listens on a port, as far as /proc shows it.
struct PortHolder {
  uint16_t port = 0;
  std::string process;  // "nginx (pid 812)"; empty: not visible
};

// What is wrong with the environment of `python:` on this node.
struct BrokenPython {
  enum class Fault { kNoBin, kGone, kNotExecutable };
  Fault fault = Fault::kNoBin;
  std::string file;              // in the environment: "bin/python3"
  std::string target;            // kGone: where that link ends, and nothing is
  std::vector<std::string> top;  // kNoBin: some names at the top of what was unpacked
};

// What was seen of a process that failed.
struct Evidence {
  ExitStatus exit;
  std::string stderr_tail;  // the last 8 KiB, whole lines
  std::string stdout_tail;  // the last 2 KiB: some programs complain there
  std::string error_file;   // content of the framework's error file (torch's error.json), or empty
  jobspec::Command command;
  std::string path;                          // PATH the command was looked up in
  std::string working_directory;             // of the process
  std::vector<std::string> directory_files;  // names in the working directory, at most 1,000
  bool python_archive = false;               // whether the job file has `python:`
  std::optional<BrokenPython> broken_python;
  std::string host;
  std::optional<uint16_t> reserved_port;
  std::vector<PortHolder> ports;  // of the ports named in the tail and the reserved one, who has them
  // The kernel's OOM killer ran while the process died, as its counters say.
  bool kernel_oom = false;
  bool cgroup_full = false;  // ... as the cgroup of the task had reached its limit
  int pid = 0;
  int64_t memory_peak_bytes = 0, memory_asked_bytes = 0;
  std::string kernel_log;                    // what the kernel has said since the attempt began, a line each
  int gpus = 0;                              // that the task has
  std::map<int, std::string> pci_addresses;  // of these, by index: "00000000:3B:00.0", as far as they are known
};

core::Diagnosis Diagnose(const Evidence& evidence);

// The ports an "address already in use" message speaks of, so that the executor can look up who has them.
std::vector<uint16_t> PortsNamedIn(std::string_view text);

}  // namespace howdah::diagnosis
