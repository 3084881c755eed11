#include "failure_diagnosis.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "howdah/base/text.h"
#include "howdah/diagnosis/restart_rules.h"
#include "howdah/jobspec/setting.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/files/space.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/ports.h"
#include "python_environment.h"

namespace howdah::executor {
namespace {

// The variable with the name of a file to read instead of /dev/kmsg, for machines on which /dev/kmsg cannot be read.
constexpr char kKernelLogVariable[] = "HOWDAH_KERNEL_LOG";

constexpr size_t kStderrTail = 8 << 10, kStdoutTail = 2 << 10, kErrorFileLimit = 256 << 10, kNamesLimit = 1000,
                 kLeftOutLimit = 64 << 10;
// The number of bytes per file in which the restart rules are searched. It is larger than the limits above, because
// libraries print long stack traces after the line that a rule matches.
constexpr size_t kRulesTail = 64 << 10;

// Returns the last complete lines of a file, at most `limit` bytes.
std::string TailOf(const std::string& path, size_t limit) {
  auto tail = os::files::ReadTail(path, limit);
  if (!tail) return "";
  const size_t first_end = tail->size() == limit ? tail->find('\n') : std::string::npos;
  return first_end == std::string::npos ? std::move(*tail) : tail->substr(first_end + 1);
}

std::vector<diagnosis::PortHolder> HoldersOf(const diagnosis::Evidence& evidence) {
  std::vector<uint16_t> ports = diagnosis::PortsNamedIn(evidence.stderr_tail);
  for (const uint16_t port : diagnosis::PortsNamedIn(evidence.stdout_tail)) ports.push_back(port);
  if (evidence.reserved_port) ports.push_back(*evidence.reserved_port);
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  std::vector<diagnosis::PortHolder> holders;
  for (const uint16_t port : ports) {
    if (auto process = os::process::FindListener(port)) holders.push_back({port, std::move(*process)});
  }
  return holders;
}

// Returns the path of the Python interpreter that the command names. Looks for the first word such as "python3" or
// "/opt/bin/python3.11".
std::string InterpreterOf(const jobspec::Command& command, const std::string& path, const std::string& directory) {
  std::vector<std::string> words = command.argv;
  std::istringstream shell(command.shell);
  for (std::string word; shell >> word;) words.push_back(word);
  const auto named = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    constexpr std::string_view kPython = "python";
    const std::string base = word.substr(word.rfind('/') + 1);
    return base.starts_with(kPython) && base.find_first_not_of("0123456789.", kPython.size()) == std::string::npos;
  });
  if (named == words.end()) return "";
  const os::process::FoundCommand found = os::process::LookUpCommand(*named, path, directory);
  return found.error == 0 ? found.program : "";
}

// Returns descriptions of the file systems that contain the paths and are full.
std::vector<std::string> FullDisks(const std::vector<std::string>& paths) {
  // A file system with less free space counts as full, because a large write can fail while some space is left.
  constexpr int64_t kFew = int64_t{16} << 20;
  constexpr int kFewPercent = 1;
  std::vector<std::string> full, seen;
  for (const std::string& path : paths) {
    const auto space = path.starts_with('/') ? os::files::SpaceAt(path) : Result<os::files::Space>(Failed(path));
    if (!space.ok() || std::find(seen.begin(), seen.end(), space->mount_point) != seen.end()) continue;
    seen.push_back(space->mount_point);
    if (space->files_free == 0 || space->free < std::min(kFew, space->size / 100 * kFewPercent + 4096)) {
      full.push_back(os::files::ToText(*space));
    }
  }
  return full;
}

}  // namespace

void FailureDiagnosis::Begin(const Variables& environment) {
  const auto value = [&](const char* name) {
    const auto it = environment.find(name);
    return it == environment.end() ? std::string() : it->second;
  };
  path_ = value("PATH");
  ranks_ = std::atoi(value("WORLD_SIZE").c_str());
  temporary_ = value("TMPDIR").empty() ? "/tmp" : value("TMPDIR");
  oom_before_ = os::process::ReadOomCounts();
  kernel_log_.Begin(value(kKernelLogVariable));
}

diagnosis::Evidence FailureDiagnosis::Collect(const FailedProcess& process) {
  const LogFiles logs = plan_.logs(process.slot);
  diagnosis::Evidence evidence;
  evidence.exit = process.exit;
  evidence.stderr_tail = process.shell_message.empty() ? TailOf(logs.err, kStderrTail) : process.shell_message;
  evidence.stdout_tail = TailOf(logs.out, kStdoutTail);
  if (auto text = os::files::ReadRegular(logs.error_file, kErrorFileLimit)) evidence.error_file = std::move(*text);
  evidence.command = plan_.role().command;
  evidence.path = path_;
  evidence.working_directory = plan_.options.work_dir;
  if (auto names = os::files::ListDirectory(plan_.options.work_dir, kNamesLimit)) {
    evidence.directory_files = std::move(*names);
  }
  if (auto text = os::files::ReadRegular(plan_.options.staging_dir + "/" + jobspec::kLeftOutFile, kLeftOutLimit))
    evidence.left_out = jobspec::LeftOut::Decode(*text);
  evidence.framework = jobspec::ToText(plan_.spec.framework);
  evidence.ranks = ranks_;
  evidence.interpreter = InterpreterOf(evidence.command, path_, plan_.options.work_dir);
  if (const std::string output = evidence.stderr_tail + evidence.stdout_tail; diagnosis::MayMeanNoSpace(output)) {
    std::vector<std::string> files = diagnosis::FilesOnFullDisks(output, plan_.options.work_dir);
    if (files.empty()) files = {plan_.options.work_dir, logs.err, plan_.spec.checkpoint.dir, temporary_, "/dev/shm"};
    evidence.full_disks = FullDisks(files);
  }
  evidence.python_archive = !plan_.spec.python_archive.empty();
  evidence.broken_python = FindBrokenPython(plan_.options.python_dir);
  evidence.host = os::process::NodeName();
  if (plan_.port != 0) evidence.reserved_port = plan_.port;
  evidence.ports = HoldersOf(evidence);
  const os::process::OomCounts now = os::process::ReadOomCounts();
  evidence.kernel_oom = now.machine > oom_before_.machine || now.cgroup > oom_before_.cgroup;
  evidence.cgroup_full = now.cgroup > oom_before_.cgroup && now.cgroup_full > oom_before_.cgroup_full;
  evidence.pid = process.pid;
  evidence.memory_peak_bytes = process.memory_peak_bytes;
  evidence.memory_requested_bytes = plan_.role().memory_bytes;
  if (process.pid != 0) evidence.kernel_log = kernel_log_.Read();
  evidence.gpus = plan_.role().gpus;
  if (plan_.spec.tony_env) evidence.memory_key = jobspec::SettingName(plan_.spec, plan_.role(), "memory");
  evidence.one_gpu = jobspec::SettingText(plan_.spec, plan_.role(), "gpus", "1");
  evidence.pci_addresses = process.pci_addresses;
  return evidence;
}

core::Diagnosis FailureDiagnosis::Diagnose(const FailedProcess& process) {
  const diagnosis::Evidence evidence = Collect(process);
  core::Diagnosis why = diagnosis::Diagnose(evidence);
  const std::vector<jobspec::RestartRule>& rules = plan_.role().restart.rules;
  if (rules.empty()) return why;
  const LogFiles logs = plan_.logs(process.slot);
  const std::string output = process.shell_message.empty()
                                 ? TailOf(logs.err, kRulesTail) + "\n" + TailOf(logs.out, kRulesTail)
                                 : process.shell_message;
  why.rule = diagnosis::FirstMatching(rules, process.exit, output);
  return why;
}

}  // namespace howdah::executor
