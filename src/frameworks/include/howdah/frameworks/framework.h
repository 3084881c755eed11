// Frameworks as pure functions: (job, cluster, place of a process) -> environment. One .cc file each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

// What the AM serves beside the job so that the processes of its framework find each other.
enum class Rendezvous {
  kNone,
  kKeyValueStore,  // frameworks::horovod::KeyValueStore, over HTTP
  kWorlds,         // frameworks::horovod::HorovodWorlds, over HTTP: one for all generations
  kTracker,        // frameworks::xgboost::XgboostTracker
};

// What the executor has made for a task whose framework starts processes in other tasks by itself (MPI). All absolute
// paths.
struct StartSupport {
  std::string hostfile;   // with the lines of Hostfile()
  std::string agent;      // command that takes a task's name ("worker-1") and a shell command to run there
  std::string temporary;  // a directory of the task's own
};

// Which process of which task.
struct ProcessPlace {
  std::string job_id;
  TaskId task;
  int local_rank = 0;
  int attempt = 0;
  int generation = 0;
  std::string error_file;  // where the process may write why it failed (torch's TORCHELASTIC_ERROR_FILE)
  HostPort rendezvous;     // of the generation; port 0: there is none
  StartSupport start_support;
  std::string interface;          // network interface with the address of the task's endpoint; empty: not known
  uint16_t tensorboard_port = 0;  // reserved for a TensorBoard of the task's own (TonY's TB_PORT); 0: none
};

// What the launcher sets for one process beyond what it inherits: the variables that every process sees, then the
// framework's own (docs/environment.md). The job's and role's `env` come after these and may override them.
jobspec::EnvVars Environment(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessPlace& place);

// Whether a second port is reserved for the task: ProcessPlace::tensorboard_port.
bool NeedsTensorboardPort(const jobspec::JobSpec& spec, TaskId task);

core::FrameworkRules RulesOf(const jobspec::JobSpec& spec);

Rendezvous RendezvousOf(const jobspec::JobSpec& spec);

// How many processes of the job have a rank.
int WorldSize(const jobspec::JobSpec& spec, const core::PeerGroup& cluster);

// What a task runs instead of its role's command, if its framework only wants a container to start processes in.
std::optional<jobspec::Command> HoldsPlace(const jobspec::JobSpec& spec, TaskId task);

// Whether the task's processes may start commands in the job's other tasks.
bool StartsInOthers(const jobspec::JobSpec& spec, TaskId task);

// A line for each task that holds a place, "worker-1 slots=4": its name, and its vcores.
std::string Hostfile(const jobspec::JobSpec& spec, const core::PeerGroup& cluster);

// Whether the framework's servers set SO_REUSEADDR, so that the executor may go on holding the reserved port while they
// bind it. Otherwise the port is let go just before the process starts.
bool ServersBindHeldPorts(jobspec::Framework framework);

}  // namespace howdah::frameworks
