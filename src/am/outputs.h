// The output of a job's tasks as far as its executors have told of it: which sources there are, how large, and whether
// they can still be read.
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

// Where attempts of a task run.
struct OutputContainer {
  ContainerId id;
  std::string node;
  TaskId task;
  bool launched = false;   // task is known
  bool connected = false;  // its executor is there
  bool watched = false;    // it tells how its logs grow
  bool told = false;       // and has told of all there are
  bool leaving = false;    // it is to go, and stays for what is wanted
};

struct Output {
  std::shared_ptr<const OutputContainer> container;
  int64_t size = 0;
  bool size_known = false;
  bool ended = false;  // the attempt has ended: size, if known, is final

  bool readable() const { return container->connected; }
  // It grows no more, as far as anybody will hear.
  bool closed() const { return ended || !readable(); }
};

// One thread.
class Outputs {
 public:
  // Told of each output that is new, or of which something has changed.
  using OnChanged = std::function<void(const OutputKey&, const Output&)>;
  explicit Outputs(OnChanged on_changed) : on_changed_(std::move(on_changed)) {}

  void Granted(const ContainerId& container, const std::string& node);
  void Launched(const ContainerId& container, TaskId task);
  OutputContainer* Connected(const ContainerId& container);  // null: it is not one that a task was launched in
  // processes: of the task's role.
  void AttemptStarted(const ContainerId& container, int attempt, int processes);
  void Told(const ContainerId& container, const wire::LogSizes& sizes);
  void AttemptEnded(const ContainerId& container, int attempt,
                    const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes);
  // What it has now, said in passing by who read a piece.
  void Seen(const OutputKey& key, int64_t size);
  // Nothing more can be read there.
  void Gone(const ContainerId& container);

  OutputContainer* Find(const ContainerId& container);
  const Output* Find(const OutputKey& key) const;
  const std::map<OutputKey, Output>& all() const { return outputs_; }
  const std::unordered_map<ContainerId, std::shared_ptr<OutputContainer>>& containers() const { return containers_; }

 private:
  void Set(const std::shared_ptr<OutputContainer>& container, const wire::LogFileSize& size, bool ended);
  void TellAllOf(const OutputContainer* container);

  OnChanged on_changed_;
  std::unordered_map<ContainerId, std::shared_ptr<OutputContainer>> containers_;
  std::map<OutputKey, Output> outputs_;
};

}  // namespace howdah::am
