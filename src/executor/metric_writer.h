// Writes the samples of a task's series into messages to the AM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/time.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::executor {

// One series of the task. The series, their units and their meanings are:
//
//   cpu_cores               cores    CPU time per wall time
//   cpu_throttled           share    of the periods in which the CPU limit of the task's cgroup was reached
//   cpu_pressure            share    of the time in which at least one process waited for a core
//   io_pressure             share    of the time in which at least one process waited for storage
//   memory_pressure         share    of the time in which at least one process waited for memory
//   memory_bytes            bytes    value: now; max: the highest since the last sample
//   shm_bytes               bytes    used in /dev/shm; capacity: its size
//   disk_read, disk_write   bytes/s
//   net_rx, net_tx          bytes/s  received, sent
//   datanodes_local, ..._remote      open connections to DataNodes of HDFS
//   rdma_rx, rdma_tx        bytes/s
//   processes, threads      -
//   stdout_bytes            bytes    size of the log; with a local rank if the task has several processes
//   stderr_bytes            bytes
//   gpu_util, gpuN_util     share    without N: the mean and the highest value of the task's GPUs
//   gpu_memory, gpuN_memory share    of the GPU's memory
//   gpu_power               W
//   gpu_throttled           share    of the task's GPUs that were slowed down at the time of the sample
//
// The following series exist for each process that reports them in HOWDAH_PROGRESS, with its local rank:
//
//   step                    -        the newest step
//   steps_s                 steps/s
//   step_s                  s        per step
//   input_wait              share    of the time in which the process waited for input
//   metric.NAME             -        the newest value, with its step; max: the highest value since the last sample
//
// Shares are from 0 to 1. A series whose source measures the whole node has the scope NODE.
struct MetricSeries {
  std::string name;
  std::string_view unit = {};
  bool of_node = false;
  std::optional<int> local_rank = {};
  std::optional<double> capacity = {};
  // MetricWriter sets the following fields.
  uint32_t id = 0;               // the id in the messages to the AM; 0 before the first message
  int described = 0;             // the number of the stream on which the series was last described to the AM; 0: none
  std::string_view absent = {};  // the reason in that description; empty if the series has values
};

// Describes each series once per stream, and again if it becomes absent or present. Reuses its message, so that a
// sample allocates no memory.
class MetricWriter {
 public:
  // Call it when a new stream to an AM is used. All series are then described again.
  void NewStream() { ++stream_; }
  // Begins a sample.
  void Begin(Instant at, int attempt);
  // Adds a value; the caller may set further fields.
  wire::MetricValue& Add(MetricSeries& series, double value);
  // Adds the reason why the series has no values.
  void AddAbsent(MetricSeries& series, std::string_view why);

  // Whether the sample contains nothing.
  bool empty() const;
  const wire::FromExecutor& message() const { return message_; }

 private:
  wire::MetricSamples& samples() { return *message_.mutable_metric_samples(); }
  void Describe(MetricSeries& series, std::string_view absent);

  wire::FromExecutor message_;
  int stream_ = 1;
  uint32_t last_id_ = 0;
};

}  // namespace howdah::executor
