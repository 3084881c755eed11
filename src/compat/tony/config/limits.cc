// Time-outs and maximum sizes.
#include <algorithm>

#include "translator.h"

namespace howdah::compat::tony::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Used where TonY waits for containers without a limit.
constexpr Duration kUnlimited = std::chrono::days(365);
constexpr Duration kNotebookLimit = std::chrono::hours(24);
constexpr int64_t kBytesPerMebibyte = int64_t{1} << 20;

}  // namespace

void Translator::SetTimeouts() {
  jobspec::Timeouts& timeouts = result_.job.timeouts;
  timeouts.run = values_.Limit("tony.application.timeout", milliseconds(1));
  if (flags_.submitter == Submitter::kNotebook) timeouts.run = kNotebookLimit;
  timeouts.queue = values_.Limit("tony.am.startup-timeout", milliseconds(1));
  const std::string allocation = "tony.container.allocation.timeout";
  timeouts.gang = values_.Limit(allocation, milliseconds(1)).value_or(kUnlimited);
  timeouts.hold = std::min(timeouts.hold, timeouts.gang);
  if (result_.job.start == jobspec::StartMode::kFree && values_.IsSet(allocation)) {
    Note(allocation, "with FCFS each task starts as soon as it has a container");
  }
  const auto registration = values_.Limit("tony.container.registration.timeout", milliseconds(1));
  const auto registry = values_.Limit("tony.task.executor.registry-timeout-sec", seconds(1));
  if (registration || registry)
    timeouts.register_ = std::min(registration.value_or(kUnlimited), registry.value_or(kUnlimited));
  const int beats = std::max(3, values_.Number("tony.task.max-missed-heartbeats", 25));
  const Duration interval =
      values_.Limit("tony.task.heartbeat-interval-ms", milliseconds(1)).value_or(milliseconds(1000));
  timeouts.heartbeat = std::min(kUnlimited, std::min(interval, kUnlimited / beats) * beats);
  const auto execution = values_.Limit("tony.task.executor.execution-timeout-ms", milliseconds(1));
  for (jobspec::RoleSpec& role : result_.job.roles) role.timeout = execution;
  if (types_.empty()) return;
  if (values_.IsSet("tony.am.memory")) result_.job.am.memory_bytes = values_.Memory("tony.am.memory", 0);
  result_.job.am.vcores = std::max(1, values_.Number("tony.am.vcores", 1));
}

void Translator::CheckLimits() {
  int64_t tasks = 0, memory = 0, vcores = 0, gpus = 0;
  for (const jobspec::RoleSpec& role : result_.job.roles) {
    if (!IsJobType(role.name)) continue;
    const int64_t instances = role.instances.max;
    tasks += instances;
    memory += instances * (role.memory_bytes / kBytesPerMebibyte);
    vcores += instances * role.vcores;
    gpus += instances * role.gpus;
    const std::string key = "tony." + role.name + ".max-instances";
    const int most = values_.Number(key, -1);
    if (most >= 0 && instances > most) {
      values_.Fail(key, "tony." + role.name + ".instances is " + std::to_string(instances) + "; lower it");
    }
  }
  const struct {
    const char* what;
    int64_t asked;
  } rows[] = {{"instances", tasks}, {"memory", memory}, {"vcores", vcores}, {"gpus", gpus}};
  for (const auto& [what, asked] : rows) {
    const std::string key = std::string("tony.task.max-total-") + what;
    const int most = values_.Number(key, -1);
    if (most >= 0 && asked > most) {
      values_.Fail(key, "all tasks together request " + std::to_string(asked) + "; lower the requests");
    }
  }
}

}  // namespace howdah::compat::tony::config
