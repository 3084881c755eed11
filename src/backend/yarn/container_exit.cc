#include "howdah/backend/yarn/container_exit.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"

namespace howdah::backend::yarn {
namespace {

constexpr int kPreempted = -102;  // ContainerExitStatus.PREEMPTED
constexpr int kUnknown = 154;     // ContainerExecutor.ExitCode.LOST

// "[2026-11-21 19:00:00.000]Container ..." without the time.
std::string WithoutTime(std::string line) {
  if (line.starts_with('[')) line.erase(0, line.find(']') + 1);
  return line;
}

// The first line that says something of itself.
std::string FirstWords(const std::string& diagnostics) {
  for (size_t begin = 0; begin < diagnostics.size();) {
    const size_t end = std::min(diagnostics.find('\n', begin), diagnostics.size());
    std::string line = WithoutTime(diagnostics.substr(begin, end - begin));
    begin = end + 1;
    while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
    if (!line.empty()) return line;
  }
  return "";
}

std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const size_t begin = at + before.size();
  const size_t end = text.find(after, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

// "260.1 MB" in MiB; 0: it is no such amount.
double Mib(const std::string& amount) {
  char* unit = nullptr;
  const double number = std::strtod(amount.c_str(), &unit);
  while (*unit == ' ') ++unit;
  const std::string word = unit;
  if (word == "B") return number / (1 << 20);
  if (word == "KB") return number / (1 << 10);
  if (word == "MB") return number;
  if (word == "GB") return number * (1 << 10);
  if (word == "TB") return number * (1 << 20);
  return 0;
}

// Hadoop calls the powers of 1024 by the names of those of 1000.
std::string Binary(std::string amount) {
  if (amount.ends_with("B") && amount.size() > 1 && std::isalpha(amount[amount.size() - 2]) != 0) {
    amount.insert(amount.size() - 1, "i");
  }
  return amount;
}

// A quarter more than was used, in steps of 256 MiB.
std::string EnoughFor(double used_mib) {
  const auto steps = static_cast<int64_t>(std::ceil(used_mib * 1.25 / 256));
  const int64_t mib = steps * 256;
  return mib % 1024 == 0 ? std::to_string(mib / 1024) + "GiB" : std::to_string(mib) + "MiB";
}

// "Current usage: 260.1 MB of 256 MB physical memory used; 2.9 GB of 537.6 MB virtual memory used. Killing container."
// (ContainersMonitorImpl.formatErrorMessage)
std::string OverMemory(const std::string& diagnostics, bool physical) {
  const std::string usage = physical ? Between(diagnostics, "Current usage: ", " physical memory used")
                                     : Between(diagnostics, "physical memory used; ", " virtual memory used");
  const size_t of = usage.find(" of ");
  const std::string kind = physical ? "memory" : "virtual memory";
  if (of == std::string::npos) return "it used more " + kind + " than it may, and YARN killed it";
  const std::string used = usage.substr(0, of), allowed = usage.substr(of + 4);
  std::string text = "out of memory: its container used " + Binary(used) + " of " + Binary(allowed) + " of " + kind +
                     ", and YARN killed it";
  if (!physical) {
    return text +
           "; that is a limit of the cluster (yarn.nodemanager.vmem-check-enabled), which administrators should "
           "switch off";
  }
  return text + "; memory: " + EnoughFor(Mib(used)) + " would have been enough until then";
}

// "Resource hdfs://ns/x changed on src filesystem - expected: "2026-11-21T...", was: "2026-11-21T...", current time:
// ..." (FSDownload.verifyAndCopy)
std::string NotLocalized(const std::string& diagnostics) {
  const std::string resource = Between(diagnostics, "Resource ", " changed on src filesystem");
  if (!resource.empty()) {
    return "the file " + resource + " was changed after the job was submitted: it was of " +
           Between(diagnostics, "expected: \"", "\"") + " and is of " + Between(diagnostics, "was: \"", "\"");
  }
  const std::string gone = Between(diagnostics + "\n", "File does not exist: ", "\n");
  if (!gone.empty()) return "the file " + gone + " is gone: it was removed after the job was submitted";
  return "it could not be started: " + FirstWords(diagnostics);
}

// The last words of the executor: NodeManagers put the end of a container's stderr into its diagnostics
// ("Last 4096 bytes of agent.stderr :").
std::string LastWords(const std::string& diagnostics) {
  const std::string mark = "bytes of agent.stderr :";
  const size_t at = diagnostics.rfind(mark);
  if (at == std::string::npos) return "";
  std::string last;
  for (size_t begin = at + mark.size(); begin < diagnostics.size();) {
    const size_t end = std::min(diagnostics.find('\n', begin), diagnostics.size());
    std::string line = diagnostics.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with('[') && line.find_first_not_of(" \t\r") != std::string::npos) last = std::move(line);
  }
  return last;
}

// A container that is killed for its use of memory and then ends by itself, as it was asked to, is said to have ended
// well (ContainerImpl.ExitedWithSuccessTransition); why it was killed is still there.
int CodeOf(const ::hadoop::yarn::ContainerStatusProto& status) {
  const std::string& diagnostics = status.diagnostics();
  if (diagnostics.find("beyond the 'PHYSICAL' memory limit") != std::string::npos) return -104;
  if (diagnostics.find("beyond the 'VIRTUAL' memory limit") != std::string::npos) return -103;
  return status.exit_status();
}

}  // namespace

bool IsExcused(int exit_status) {
  constexpr int kAborted = -100, kDisksFailed = -101, kKilledByRm = -106, kKilledByScheduler = -108;
  switch (exit_status) {
    case kAborted:
    case kDisksFailed:
    case kPreempted:
    case kKilledByRm:
    case kKilledByScheduler:
      return true;
    default:
      return false;
  }
}

bool WasPreempted(int exit_status) { return exit_status == kPreempted; }

bool WasTaken(int exit_status) {
  constexpr int kKilledByScheduler = -108;
  return WasPreempted(exit_status) || exit_status == kKilledByScheduler;
}

std::string DescribePreemptionWarning(const std::string& preemptor) {
  return "the scheduler preempts it" + (preemptor.empty() ? "" : " for " + preemptor);
}

std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor) {
  const std::string& diagnostics = status.diagnostics();
  const int code = CodeOf(status);
  switch (code) {  // org.apache.hadoop.yarn.api.records.ContainerExitStatus
    case 0:
      return "";
    case -1000:
      return NotLocalized(diagnostics);
    case -100:
      if (diagnostics.find("xpired") != std::string::npos) return "it was not started in time, so YARN took it back";
      return diagnostics.find("lost") != std::string::npos ? "its node was lost"
                                                           : "YARN took its container back: " + FirstWords(diagnostics);
    case -101:
      return "the disks of its node failed";
    case kPreempted:
      return "it was preempted: YARN needed its container for " +
             (preemptor.empty() ? "another queue or application" : preemptor);
    case -103:
      return OverMemory(diagnostics, /*physical=*/false);
    case -104:
      return OverMemory(diagnostics, /*physical=*/true);
    case -105:
      return "its container was stopped";
    case -106:
      return "the ResourceManager ended its container";
    case -107:
      return "its container was ended with the application";
    case -108:
      return "the node's scheduler ended its container";
    case -109:
      return "it wrote more logs than the node allows";
    default:
      break;
  }
  if (code == kUnknown) return "nothing is known of how it ended: its NodeManager was restarted";
  const ExitStatus exit = FromShellCode(code);
  if (exit.signal) return "its executor " + DescribeEnd(exit);
  if (diagnostics.find("changed on src filesystem") != std::string::npos ||
      diagnostics.find("File does not exist: ") != std::string::npos) {
    return NotLocalized(diagnostics);
  }
  const std::string words = LastWords(diagnostics);
  return "its executor " + DescribeEnd(exit) + (words.empty() ? "" : ": " + words);
}

std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node) {
  if (!status.ok()) {
    if (status.error().code == ErrorCode::kNotFound) return "";
    return "its node " + node + " did not say how far it is: " + FirstWords(status.error().message);
  }
  if (status->state() == ::hadoop::yarn::C_COMPLETE) return "";
  switch (status->container_sub_state()) {
    case ::hadoop::yarn::CSS_SCHEDULED:
      return "its files were still being brought to " + node + " (localizing)";
    case ::hadoop::yarn::CSS_RUNNING:
      return "its executor had been started on " + node + " and had not connected";
    default:
      return "";
  }
}

std::string DescribeStartFailure(const std::string& words) { return "its node did not start it: " + FirstWords(words); }

}  // namespace howdah::backend::yarn
