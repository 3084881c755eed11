#include "evidence.h"

#include <algorithm>

#include "howdah/diagnosis/restart_rules.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/ports.h"
#include "packed_python.h"

namespace howdah::executor {
namespace {

constexpr size_t kStderrTail = 8 << 10, kStdoutTail = 2 << 10, kErrorFileLimit = 256 << 10, kNamesLimit = 1000;
// Of each file: libraries print long stacks behind the line that a rule is about.
constexpr size_t kRulesTail = 64 << 10;

// The last whole lines of a file.
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
    if (auto who = os::process::FindListener(port)) holders.push_back({port, std::move(*who)});
  }
  return holders;
}

// The end of what it wrote, that the rules of its role are about.
std::string LastOutput(const LogFiles& logs, const Circumstances& seen) {
  if (!seen.last_words.empty()) return seen.last_words;
  return TailOf(logs.err, kRulesTail) + "\n" + TailOf(logs.out, kRulesTail);
}

diagnosis::Evidence GatherEvidence(const TaskPlan& plan, const Circumstances& seen) {
  const LogFiles logs = plan.logs(seen.place);
  diagnosis::Evidence evidence;
  evidence.exit = seen.exit;
  evidence.stderr_tail = seen.last_words.empty() ? TailOf(logs.err, kStderrTail) : seen.last_words;
  evidence.stdout_tail = TailOf(logs.out, kStdoutTail);
  if (auto text = os::files::ReadFile(logs.error_file, kErrorFileLimit)) evidence.error_file = std::move(*text);
  evidence.command = plan.role().command;
  evidence.path = seen.path;
  evidence.working_directory = plan.options.work_dir;
  if (auto names = os::files::ListDirectory(plan.options.work_dir, kNamesLimit))
    evidence.directory_files = std::move(*names);
  evidence.python_archive = !plan.spec.python_archive.empty();
  evidence.broken_python = FindBrokenPython(plan.options.python_dir);
  evidence.host = os::process::NodeName();
  if (seen.reserved_port != 0) evidence.reserved_port = seen.reserved_port;
  evidence.ports = HoldersOf(evidence);
  const os::process::OomCounts now = os::process::ReadOomCounts();
  evidence.kernel_oom = now.machine > seen.oom_before.machine || now.cgroup > seen.oom_before.cgroup;
  evidence.cgroup_full = now.cgroup_full > seen.oom_before.cgroup_full;
  evidence.pid = seen.pid;
  evidence.memory_peak_bytes = seen.memory_peak_bytes;
  evidence.kernel_log = seen.kernel_log;
  evidence.gpus = plan.role().gpus;
  evidence.pci_addresses = seen.pci_addresses;
  evidence.memory_asked_bytes = plan.role().memory_bytes;
  return evidence;
}

}  // namespace

core::Diagnosis Diagnose(const TaskPlan& plan, const Circumstances& seen) {
  core::Diagnosis why = diagnosis::Diagnose(GatherEvidence(plan, seen));
  const std::vector<jobspec::RestartRule>& rules = plan.role().restart.rules;
  if (!rules.empty()) {
    why.rule = diagnosis::FirstThatFits(rules, seen.exit, LastOutput(plan.logs(seen.place), seen));
  }
  return why;
}

}  // namespace howdah::executor
