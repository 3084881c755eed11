#include "table.h"

#include "checks.h"
#include "howdah/core/policy/bad_nodes.h"

namespace howdah::advice {
namespace {

using C = AdviceCheck;

// Rows about memory and cores.
std::vector<Check> ResourceChecks() {
  return {
      {C::kMemoryOver,
       kSeries,
       {},
       "The highest peak of this and earlier runs is at most 80 % (low), 70 % (moderate), 60 % (severe) or 50 % "
       "(critical) of the requested memory, the request is above 2 GiB, and at least one allocation step can be saved.",
       "Memory that is requested is not available to other jobs, and a smaller container is granted sooner.",
       "Request the highest peak of the last 10 runs plus 15 %, rounded up to the step of the cluster.",
       "",
       MemoryOver},
      {C::kMemoryUnder,
       kHarmNoSeries,
       {},
       "A task was killed because it reached its memory limit, or a task's peak is at least 95 % of the memory it has.",
       "A cluster with memory limits kills a task that needs more, and its work since the last checkpoint is lost.",
       "Request 20 % more. If the memory grew until the end, look for a leak: more memory only delays the end.",
       " of memory but requested ",
       MemoryUnder},
      {C::kRounding,
       kNoSeries,
       {C::kMemoryOver},
       "The cluster grants at least 1.2 times the requested memory, because it rounds requests up to a multiple of its "
       "step.",
       "The job holds the additional memory, and does not use it.",
       "Request one step less if the highest peak plus 15 % fits; otherwise request all that is granted.",
       "",
       Rounding},
      {C::kVcoresOver,
       kSeries,
       {},
       "The cores that the busiest task used (95th percentile) are below 50 % of its vcores, the role has more than "
       "one "
       "vcore, and 15 % above the highest use that was ever measured is still less than the request.",
       "vcores that are requested are not available to other jobs.",
       "Request the recommended vcores. A short phase that uses all of them, such as the start, keeps this check "
       "silent.",
       "",
       VcoresOver},
      {C::kVcoresUnder,
       kSeries,
       {C::kThreads},
       "The task's cgroup was throttled in more than 10 % of its periods, or its processes waited for a core for more "
       "than 20 % of the time (pressure of the task, not of the node) while it used at least 95 % of its vcores.",
       "The task could run faster with more cores.",
       "Request more `vcores`.",
       "",
       VcoresUnder},
      {C::kThreads,
       kUnknownSaving,
       {},
       "Processes times OMP_NUM_THREADS, or the threads of the task if the job file does not set this variable, is "
       "more "
       "than twice the vcores, and processes waited for a core for more than 20 % of the time. The pressure of the "
       "node "
       "counts only if the job file sets the variable.",
       "Threads that share a core interrupt each other, so that all of them become slower.",
       "Set OMP_NUM_THREADS to the vcores divided by the processes, and start fewer loader workers.",
       "",
       Threads},
  };
}

// Rows about GPUs and their input.
std::vector<Check> GpuChecks() {
  return {
      {C::kGpuIdle,
       kSeries,
       {},
       "A GPU was at 0 % in every sample, for at least 10 minutes. The text says whether all GPUs were idle or some, "
       "and "
       "whether a process allocated memory on them.",
       "A GPU that is held and not used is the most expensive waste.",
       "Common causes are a framework that was built for CPUs, CUDA_VISIBLE_DEVICES, and a program that uses one GPU. "
       "Request only the `gpus` that are used.",
       "",
       GpuIdle},
      {C::kGpuGap,
       kSeries,
       {C::kNotebookIdle},
       "The GPUs were used, and then at 0 % for at least the last 30 minutes, while the job ran on.",
       "The work is done or the program hangs, and the GPUs are still held.",
       "Let the program end; `timeouts.progress` ends a job without activity, and `--idle` a notebook.",
       "",
       GpuGap},
      {C::kInputBound,
       kSeries,
       {},
       "The program reported that it waited for its input for more than 20 % of the time (`input` lines in "
       "HOWDAH_PROGRESS); or its GPUs were used below 60 % while it used at least 90 % of its vcores or waited for "
       "disks "
       "for more than 30 % of the time.",
       "GPUs wait for data that is read, decoded or copied.",
       "More `vcores` and loader workers, prefetching, and data as `files:`, so that it is on the node.",
       "",
       InputBound},
      {C::kGpuLow,
       kSeries,
       {C::kGpuIdle, C::kInputBound},
       "The average use of the role's GPUs is below 25 % (moderate), or at most 15 % (severe).",
       "Fewer GPUs would do the same work.",
       "A larger batch, or fewer GPUs.",
       "",
       GpuLow},
      {C::kGpuMemory,
       kSeries,
       {C::kGpuIdle, C::kInputBound, C::kGpuLow},
       "At most 40 % of the GPUs' memory was used, and the average use of the GPUs is below 60 %.",
       "A larger batch uses a GPU better, and a smaller GPU or slice costs less.",
       "A larger batch, or a `node_label` with smaller GPUs or slices.",
       "",
       GpuMemory},
      {C::kGpuSlowdown,
       kHarm,
       {},
       "A GPU slowed itself down in more than 10 % of the samples because of temperature, power or hardware, or the "
       "driver reported a hardware error (Xid, ECC).",
       "One slow GPU slows down all ranks that wait for it.",
       "Report the node to the administrators. Howdah avoids nodes whose hardware has failed.",
       "",
       GpuSlowdown},
  };
}

// Rows about comparisons of tasks and of runs.
std::vector<Check> ComparisonChecks() {
  return {
      {C::kStraggler,
       kSeries,
       {},
       "The steps of one rank took at least 1.2 times as long as those of the median rank for at least 5 minutes "
       "(severe: "
       "2 times). Never with fewer than three ranks.",
       "The job ends with its slowest rank.",
       "Find the cause on its node: slowed down GPUs, pressure, other tasks. Without a cause there, the rank has more "
       "work "
       "than the others.",
       " is slow: its steps take ",
       Straggler},
      {C::kImbalance,
       kSeries,
       {},
       "The memory peak or the average CPU use of one task is more than 1.5 times the average of its role, and the "
       "other "
       "tasks could request less.",
       "All tasks of a role request what the largest one needs.",
       "Divide the work evenly, or make the task a role of its own.",
       "",
       Imbalance},
      {C::kPsBound,
       kSeries,
       {},
       "The parameter servers use at least 90 % of their vcores, or 80 % of the speed of their network, and the "
       "workers "
       "use less than half of their vcores.",
       "The workers wait for the parameter servers.",
       "More `instances` or `vcores` for the parameter servers, or a framework with all-reduce.",
       "",
       PsBound},
      {C::kScaling,
       kNoSeries,
       {},
       "An earlier run of this name with fewer tasks made more steps per second per task: this run makes at most 70 % "
       "of "
       "them.",
       "The same steps cost more hardware than with fewer tasks.",
       "The `instances` at which a step costs least; the evidence lists the measured sizes.",
       "",
       Scaling},
      {C::kSpread,
       kSeries,
       {},
       "The GPUs of the job are on more nodes than in an earlier run of the same size, which made at least 10 % more "
       "steps "
       "per second.",
       "Ranks on the same node exchange data faster than over the network.",
       "Larger tasks, a larger `max_per_node`, or `locality`.",
       "",
       Spread},
  };
}

// Rows about waits.
std::vector<Check> WaitChecks() {
  return {
      {C::kQueueWait,
       kNoSeries,
       {},
       "The job waited for containers for more than 10 minutes and more than 10 % of its time.",
       "The result comes later, although the job itself is fast enough.",
       "The evidence lists what the job waited for longest. An elastic role, which starts with half of its tasks, "
       "another `queue`, or fewer or smaller tasks.",
       "",
       QueueWait},
      {C::kGangHold,
       kNoSeries,
       {},
       "More than 5 % of the hardware that the job held was held while the gang was incomplete.",
       "These containers did no work, and other jobs could not have them.",
       "An elastic role starts with the containers that are there; a shorter `timeouts.hold` releases them sooner.",
       "",
       GangHold},
      {C::kLocalization,
       kNoSeries,
       {},
       "The files of the job took more than 60 s and more than 5 % of its time to reach the nodes.",
       "All containers wait for the files.",
       "Files that a node already has are not copied again: put large files that rarely change into `files:` or "
       "`python.archive`, and make files in HDFS readable for all (o+r, and o+x for their directories).",
       "",
       Localization},
  };
}

// Rows about failures and their cost.
std::vector<Check> FailureChecks() {
  return {
      {C::kCheckpointNone,
       kRisk,
       {},
       "The job ran for more than an hour, or restarted, and no task reported a checkpoint.",
       "A failure loses all work of the job. Preemption and lost nodes are failures, too.",
       "Set `checkpoint.dir`, save the state there, and report it with three lines ([checkpoints.md](checkpoints.md)).",
       "",
       CheckpointNone},
      {C::kCheckpointInterval,
       kSeries,
       {},
       "The time between two checkpoints differs by more than a factor of 2 from √(2·C·M). C is the time that a "
       "checkpoint "
       "takes, from `checkpointing` to `checkpoint`; M is the time between failures and preemptions, from at least 3 "
       "of "
       "this name in 30 days.",
       "Rare checkpoints lose work, frequent ones cost time.",
       "The recommended interval, in time and steps.",
       "",
       CheckpointInterval},
      {C::kRestarts,
       kHarmNoSeries,
       {C::kMemoryUnder},
       "A role restarted three times or more for the same reason, or the job restarted three times or more and ran for "
       "less than 5 times the time that it recovered.",
       "A restart does not help against a cause that stays.",
       "Remove the cause. `restart.rules` ends the job at the first failure of this kind.",
       "",
       Restarts},
      {C::kLost,
       kNoSeries,
       {C::kCheckpointNone, C::kCheckpointInterval},
       "More than 5 % of the job's time was lost: processes ran, and a restart threw their work away.",
       "Work after the last checkpoint is repeated after a restart.",
       "Checkpoints more often, and a further one at a request to stop (`checkpoint.signal`).",
       "",
       Lost},
  };
}

// The remaining rows.
std::vector<Check> OtherChecks() {
  return {
      {C::kTail,
       kNoSeries,
       {},
       "Containers were held for more than 5 minutes and 5 % of the hardware after their process had ended, or the job "
       "ran "
       "on that long after its last step.",
       "Hardware is held, and does nothing.",
       "`kind: service` or `kind: sidecar` for roles that must not keep the job running; `outlive`.",
       "",
       Tail},
      {C::kShm,
       kHarmNoSeries,
       {},
       "/dev/shm was at least 90 % full, or a process was killed by SIGBUS while it was at least half full.",
       "A process that writes to a full /dev/shm is killed by SIGBUS. Data loaders pass their data through it.",
       "`docker.tmpfs: [/dev/shm]` for a larger one in docker, fewer loader workers, smaller batches.",
       "",
       Shm},
      {C::kTimeLimit,
       kRisk,
       {},
       "At least 5 runs used less than 60 % of `timeouts.run`, or the job was ended by it and had no checkpoint in the "
       "last "
       "10 minutes.",
       "A limit that is far too long lets a job that hangs hold its containers; one that is too short loses work.",
       "The recommended `timeouts.run`, and a checkpoint before it.",
       "",
       TimeLimit},
      {C::kLogFlood,
       kRiskSeries,
       {},
       "A task wrote more than 100 MiB per minute or more than 10 GiB to its stdout or stderr.",
       "Output fills the disk of the node and slows the program down.",
       "Write less. The evidence of `howdah logs` shows the most frequent lines.",
       "",
       LogFlood},
      {C::kRemoteReads,
       kUnknownSaving,
       {},
       "More than 80 % of a task's connections to DataNodes of HDFS go to other nodes, and its node receives more than "
       "half of what the network can carry. DataNodes are recognised by their usual ports (9866, 50010, 1004). Reads "
       "through a local socket (short circuit) are not connections.",
       "The network limits how fast the data arrives, and other jobs need it, too.",
       "Copy data that every run reads to the nodes (`files:`), or run where the data is (`locality.nodes`).",
       "",
       RemoteReads},
      {C::kNotebookIdle,
       kSeries,
       {},
       "A notebook holds GPUs, and none of its kernels was busy for more than 1 h. It does not matter whether a "
       "browser "
       "shows the notebook.",
       "Nobody else can use the GPUs.",
       "`howdah kill` ends the notebook; `howdah notebook --idle 30m` ends the next one when it is idle.",
       "",
       NotebookIdle},
      {C::kNode,
       kHarmNoSeries,
       {},
       "Howdah avoids a node, because tasks failed there or its hardware failed.",
       "Other jobs fail there, too.",
       "For administrators: check the node.",
       core::policy::kIsAvoided,
       Node},
  };
}

std::vector<Check> MakeTable() {
  std::vector<Check> table;
  for (auto rows : {ResourceChecks(), GpuChecks(), ComparisonChecks(), WaitChecks(), FailureChecks(), OtherChecks()})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

}  // namespace

const std::vector<Check>& Table() {
  static const std::vector<Check> table = MakeTable();
  return table;
}

}  // namespace howdah::advice
