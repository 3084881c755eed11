// Explains a failed process: derives a cause and advice from the evidence that the executor collected when the process
// ended. Pure: text in, text out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/jobspec/left_out.h"

namespace howdah::diagnosis {

// The process that listens on a port, as far as /proc shows it to this user.
struct PortHolder {
  uint16_t port = 0;
  std::string process;  // "nginx (pid 812)"; empty if it is not visible to this user
};

// Why the environment packed in `python:` cannot be used on this node.
struct BrokenPython {
  enum class Fault { kNoBin, kGone, kNotExecutable };
  Fault fault = Fault::kNoBin;
  std::string file;              // path in the environment, such as "bin/python3"
  std::string target;            // for kGone: `file` is a link to this path, which does not exist
  std::vector<std::string> top;  // for kNoBin: some names in the archive's top directory
};

// The facts that the executor collected about a failed process.
struct Evidence {
  ExitStatus exit;
  std::string stderr_tail;  // the last 8 KiB, whole lines
  std::string stdout_tail;  // the last 2 KiB: some programs print their errors there
  std::string error_file;   // content of the framework's error file (torch's error.json); empty if there is none
  jobspec::Command command;
  std::string path;                          // PATH in which the command was looked up
  std::string working_directory;             // working directory of the process
  std::vector<std::string> directory_files;  // names in the working directory, at most 1,000
  jobspec::LeftOut left_out = {};            // files of the source that are not in the working directory
  std::string framework = "plain";           // framework of the job
  int ranks = 0;                             // processes with a rank in the job; 0 if the process has none
  std::string interpreter;                   // path of the Python that the command names; empty if it names none
  bool python_archive = false;               // whether the job file has `python:`
  std::optional<BrokenPython> broken_python;
  std::string host;
  std::optional<uint16_t> reserved_port;
  std::vector<PortHolder> ports;  // the listeners on the ports named in the tails and on the reserved port
  bool kernel_oom = false;        // whether the OOM killer ran during the attempt (kernel's counters)
  bool cgroup_full = false;       // whether the OOM killer ran because the task's cgroup had reached its limit
  int pid = 0;
  int64_t memory_peak_bytes = 0, memory_requested_bytes = 0;
  std::string kernel_log;  // the kernel's messages since the attempt began, one per line
  // The full file systems among those that the process may have written to, if MayMeanNoSpace(its output): "/data
  // (ext4), 1.8 TiB, 0 B free".
  std::vector<std::string> full_disks;
  int gpus = 0;  // number of GPUs of the task
  // How the user writes the settings of the task's role (jobspec::SettingText).
  std::string memory_key = "memory", one_gpu = "gpus: 1";
  std::map<int, std::string> pci_addresses;  // known addresses of these GPUs, by index: "00000000:3B:00.0"
};

core::Diagnosis Diagnose(const Evidence& evidence);

// Whether the output says that a file system is full, or that a write failed for a reason that it does not state.
bool MayMeanNoSpace(std::string_view output);

// Returns the absolute paths of the files that, according to messages in the text, could not be written because a file
// system is full. The executor looks up their file systems.
std::vector<std::string> FilesOnFullDisks(std::string_view text, const std::string& working_directory);

// Returns the ports in "address already in use" messages, so that the executor can find the processes that listen on
// them.
std::vector<uint16_t> PortsNamedIn(std::string_view text);

}  // namespace howdah::diagnosis
