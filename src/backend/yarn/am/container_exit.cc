#include "container_exit.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "howdah/backend/yarn/container_exit_status.h"
#include "howdah/backend/yarn/launch_refusal.h"
#include "howdah/base/exit_status.h"

namespace howdah::backend::yarn::am {
namespace {

using enum ContainerExitStatus;

// Removes the timestamp from a line such as "[2026-11-21 19:00:00.000]Container ...".
std::string WithoutTime(std::string line) {
  if (line.starts_with('[')) line.erase(0, line.find(']') + 1);
  return line;
}

// Returns the first line that has any text, without its timestamp and trailing full stop.
std::string FirstText(const std::string& diagnostics) {
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

// Converts "260.1 MB" to MiB. Returns 0 if the unit is unknown.
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

// Changes "MB" to "MiB": Hadoop writes MB but means MiB.
std::string Binary(std::string amount) {
  if (amount.ends_with("B") && amount.size() > 1 && std::isalpha(amount[amount.size() - 2]) != 0) {
    amount.insert(amount.size() - 1, "i");
  }
  return amount;
}

// Returns a sufficient container size: the peak use plus a quarter, rounded up to a multiple of 256 MiB.
std::string SufficientMemory(double used_mib) {
  const auto steps = static_cast<int64_t>(std::ceil(used_mib * 1.25 / 256));
  const int64_t mib = steps * 256;
  return mib % 1024 == 0 ? std::to_string(mib / 1024) + "GiB" : std::to_string(mib) + "MiB";
}

// Reads diagnostics such as "Current usage: 260.1 MB of 256 MB physical memory used; 2.9 GB of 537.6 MB virtual memory
// used. Killing container." (ContainersMonitorImpl.formatErrorMessage)
std::string OverMemory(const std::string& diagnostics, bool physical) {
  const std::string usage = physical ? Between(diagnostics, "Current usage: ", " physical memory used")
                                     : Between(diagnostics, "physical memory used; ", " virtual memory used");
  const size_t of = usage.find(" of ");
  const std::string kind = physical ? "memory" : "virtual memory";
  if (of == std::string::npos) return "container exceeded its " + kind + " limit and was killed by YARN";
  const std::string used = usage.substr(0, of), allowed = usage.substr(of + 4);
  const std::string text = "out of memory: container used " + Binary(used) + " of " + Binary(allowed) + " of " + kind +
                           " and was killed by YARN";
  if (physical) return text + "; a request of " + SufficientMemory(Mib(used)) + " would have been enough for this peak";
  return text + "; administrators should disable this check of the cluster (yarn.nodemanager.vmem-check-enabled)";
}

// why: empty if the NodeManager rejects a container before its localization, for example because of its runtime
// (ContainerImpl.RequestResourcesTransition of Hadoop 3.3): it reports only the exit status.
std::string CouldNotStart(const std::string& why) {
  if (!why.empty()) return "container could not be started: " + why;
  return "container could not be started, and the NodeManager gave no reason; if the job has an image, check that "
         "yarn.nodemanager.runtime.linux.allowed-runtimes contains docker, otherwise read the log of the NodeManager";
}

std::string RefusalOrFirstText(const std::string& diagnostics) {
  const std::string refusal = FindLaunchRefusal(diagnostics).text;
  return refusal.empty() ? FirstText(diagnostics) : refusal;
}

// Reads diagnostics such as 'Resource hdfs://ns/x changed on src filesystem - expected: "2026-11-21T...", was:
// "2026-11-21T...", current time: ...' (FSDownload.verifyAndCopy)
std::string NotLocalized(const std::string& diagnostics) {
  const std::string resource = Between(diagnostics, "Resource ", " changed on src filesystem");
  if (!resource.empty()) {
    return "file " + resource + " changed after submission: modified at " + Between(diagnostics, "was: \"", "\"") +
           ", expected " + Between(diagnostics, "expected: \"", "\"");
  }
  const std::string gone = Between(diagnostics + "\n", "File does not exist: ", "\n");
  if (!gone.empty()) return "file " + gone + " was deleted after submission";
  return CouldNotStart(RefusalOrFirstText(diagnostics));
}

// Returns the last line of the executor's stderr. NodeManagers append the end of that file to the diagnostics ("Last
// 4096 bytes of agent.stderr :").
std::string LastStderrLine(const std::string& diagnostics) {
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

// Returns the exit status, corrected by the diagnostics. ContainerImpl.ExitedWithSuccessTransition reports success if a
// container was stopped because of its memory use and then exited with 0. Only the diagnostics have the reason then.
ContainerExitStatus StatusOf(const ::hadoop::yarn::ContainerStatusProto& status) {
  const std::string& diagnostics = status.diagnostics();
  if (diagnostics.find("beyond the 'PHYSICAL' memory limit") != std::string::npos) return kExceededMemory;
  if (diagnostics.find("beyond the 'VIRTUAL' memory limit") != std::string::npos) return kExceededVirtualMemory;
  return static_cast<ContainerExitStatus>(status.exit_status());
}

std::string Aborted(const std::string& diagnostics) {
  if (diagnostics.find("xpired") != std::string::npos) return "container expired because it was not started in time";
  if (diagnostics.find("lost") != std::string::npos) return "node lost";
  return "container reclaimed by YARN: " + FirstText(diagnostics);
}

bool LacksFile(const std::string& diagnostics) {
  return diagnostics.find("changed on src filesystem") != std::string::npos ||
         diagnostics.find("File does not exist: ") != std::string::npos;
}

// The refusal of a container that ended with an exit status that YARN does not define. The node's helper programs end
// with codes of their own, which look like codes of the executor.
LaunchRefusal RefusalOfExecutor(const std::string& diagnostics) {
  return LastStderrLine(diagnostics).empty() ? FindLaunchRefusal(diagnostics) : LaunchRefusal();
}

// Describes the end of an executor with an exit status that YARN does not define.
std::string ExecutorExited(int code, const std::string& diagnostics) {
  const ExitStatus exit = FromShellCode(code);
  if (exit.signal) return "executor " + DescribeEnd(exit);
  if (LacksFile(diagnostics)) return NotLocalized(diagnostics);
  const std::string refusal = RefusalOfExecutor(diagnostics).text;
  if (!refusal.empty()) return CouldNotStart(refusal);
  const std::string last = LastStderrLine(diagnostics);
  return "executor " + DescribeEnd(exit) + (last.empty() ? "" : ": " + last);
}

}  // namespace

std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor) {
  const std::string& diagnostics = status.diagnostics();
  const ContainerExitStatus code = StatusOf(status);
  switch (code) {
    case kSuccess:
      return "";
    case kInvalid:
      return NotLocalized(diagnostics);
    case kAborted:
      return Aborted(diagnostics);
    case kPreempted:
      return "preempted by YARN for " + (preemptor.empty() ? "another queue or application" : preemptor);
    case kExceededVirtualMemory:
      return OverMemory(diagnostics, /*physical=*/false);
    case kExceededMemory:
      return OverMemory(diagnostics, /*physical=*/true);
    default:
      break;
  }
  const std::string_view text = MeaningOf(static_cast<int>(code)).of_task;
  return text.empty() ? ExecutorExited(static_cast<int>(code), diagnostics) : std::string(text);
}

bool IsRefusedByCluster(const ::hadoop::yarn::ContainerStatusProto& status) {
  const std::string& diagnostics = status.diagnostics();
  const ContainerExitStatus code = StatusOf(status);
  if (code == kSuccess || LacksFile(diagnostics)) return false;
  if (code == kInvalid) return FindLaunchRefusal(diagnostics).of_cluster;
  if (!MeaningOf(static_cast<int>(code)).of_task.empty() || FromShellCode(static_cast<int>(code)).signal) return false;
  return RefusalOfExecutor(diagnostics).of_cluster;
}

std::string DescribePreemptionWarning(const std::string& preemptor) {
  return "the scheduler is preempting it" + (preemptor.empty() ? "" : " for " + preemptor);
}

std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node) {
  if (!status.ok()) {
    if (status.error().code == ErrorCode::kNotFound) return "";
    return node + " did not report the container's status: " + FirstText(status.error().message);
  }
  if (status->state() == ::hadoop::yarn::C_COMPLETE) return "";
  switch (status->container_sub_state()) {
    case ::hadoop::yarn::CSS_SCHEDULED:
      return "localizing files on " + node;
    case ::hadoop::yarn::CSS_RUNNING:
      return "executor started on " + node + " but not connected";
    default:
      return "";
  }
}

std::string DescribeStartFailure(const std::string& diagnostics) {
  return "node refused to start the container: " + RefusalOrFirstText(diagnostics);
}

}  // namespace howdah::backend::yarn::am
