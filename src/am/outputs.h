// The output of a job's tasks as reported by executors: the streams, their sizes, and whether they can still be read.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "howdah/base/ids.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// One stream of one process of one attempt.
struct OutputKey {
  TaskId task;
  int attempt = 0;
  int local_rank = 0;
  bool is_stderr = false;
  friend auto operator<=>(const OutputKey&, const OutputKey&) = default;
};

// A container in which attempts of a task run.
struct OutputContainer {
  ContainerId id;
  std::string node;
  TaskId task;
  bool launched = false;        // a task was launched in it
  bool connected = false;       // its executor is connected
  bool watched = false;         // its executor reports log sizes
  bool sizes_reported = false;  // its executor has reported the sizes of all logs
  bool leaving = false;         // its executor was ordered to exit, but stays until its output is read
};

struct Output {
  std::shared_ptr<const OutputContainer> container;
  int64_t size = 0;
  bool size_known = false;
  bool ended = false;  // the attempt has ended, so the size, if known, is final

  bool readable() const { return container->connected; }
  // Returns true if no further growth will be reported.
  bool closed() const { return ended || !readable(); }
};

// Not thread-safe.
class Outputs {
 public:
  // Called for each output that is new or has changed.
  using OnChanged = std::function<void(const OutputKey&, const Output&)>;
  explicit Outputs(OnChanged on_changed) : on_changed_(std::move(on_changed)) {}

  void Granted(const ContainerId& container, const std::string& node);
  void Launched(const ContainerId& container, TaskId task);
  // Marks the container's executor as connected. Returns null if no task was launched in the container.
  OutputContainer* Connected(const ContainerId& container);
  // processes: number of processes of the task's role.
  void AttemptStarted(const ContainerId& container, int attempt, int processes);
  void SizesReported(const ContainerId& container, const wire::LogSizes& sizes);
  void AttemptEnded(const ContainerId& container, int attempt,
                    const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes);
  // Sets the current size of an output, which the executor reports together with a piece of the output.
  void Seen(const OutputKey& key, int64_t size);
  // Records that the container's output can no longer be read.
  void Gone(const ContainerId& container);

  OutputContainer* Find(const ContainerId& container);
  const Output* Find(const OutputKey& key) const;
  const std::map<OutputKey, Output>& all() const { return outputs_; }
  const std::unordered_map<ContainerId, std::shared_ptr<OutputContainer>>& containers() const { return containers_; }

 private:
  void Set(const std::shared_ptr<OutputContainer>& container, const wire::LogFileSize& size, bool ended);
  void NotifyAllOf(const OutputContainer* container);

  OnChanged on_changed_;
  std::unordered_map<ContainerId, std::shared_ptr<OutputContainer>> containers_;
  std::map<OutputKey, Output> outputs_;
};

}  // namespace howdah::am
