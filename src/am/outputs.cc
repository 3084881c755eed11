#include "outputs.h"

namespace howdah::am {

OutputContainer* Outputs::Find(const ContainerId& container) {
  const auto it = containers_.find(container);
  return it == containers_.end() ? nullptr : it->second.get();
}

const Output* Outputs::Find(const OutputKey& key) const {
  const auto it = outputs_.find(key);
  return it == outputs_.end() ? nullptr : &it->second;
}

void Outputs::Granted(const ContainerId& id, const std::string& node) {
  auto& container = containers_[id];
  if (!container) container = std::make_shared<OutputContainer>();
  container->id = id;
  container->node = node;
}

void Outputs::Launched(const ContainerId& id, TaskId task) {
  OutputContainer* container = Find(id);
  if (container == nullptr) return;
  container->task = task;
  container->launched = true;
}

OutputContainer* Outputs::Connected(const ContainerId& id) {
  OutputContainer* container = Find(id);
  if (container == nullptr || !container->launched) return nullptr;
  container->connected = true;
  container->watched = container->sizes_reported = false;
  return container;
}

void Outputs::AttemptStarted(const ContainerId& id, int attempt, int processes) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || !it->second->launched) return;
  for (int rank = 0; rank < processes; ++rank) {
    for (const bool is_stderr : {false, true}) {
      const OutputKey key{it->second->task, attempt, rank, is_stderr};
      const auto [output, added] = outputs_.try_emplace(key);
      if (!added) continue;
      output->second.container = it->second;
      on_changed_(key, output->second);
    }
  }
}

void Outputs::Set(const std::shared_ptr<OutputContainer>& container, const wire::LogFileSize& size, bool ended) {
  const OutputKey key{container->task, size.file().attempt(), size.file().local_rank(), size.file().is_stderr()};
  Output& output = outputs_[key];
  // The output belongs to an attempt in another container.
  if (output.container && output.container != container) return;
  output.container = container;
  output.size = size.size();
  output.size_known = true;
  output.ended = output.ended || ended;
  on_changed_(key, output);
}

void Outputs::SizesReported(const ContainerId& id, const wire::LogSizes& sizes) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || !it->second->launched) return;
  if (sizes.all()) it->second->sizes_reported = true;
  for (const wire::LogFileSize& size : sizes.sizes()) Set(it->second, size, false);
}

void Outputs::AttemptEnded(const ContainerId& id, int attempt,
                           const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || !it->second->launched) return;
  for (const wire::LogFileSize& size : sizes) Set(it->second, size, true);
  // A process that was not started has written nothing.
  const OutputKey first{it->second->task, attempt, 0, false};
  for (auto at = outputs_.lower_bound(first); at != outputs_.end(); ++at) {
    if (at->first.task != first.task || at->first.attempt != attempt) break;
    if (at->second.ended || at->second.container != it->second) continue;
    at->second.ended = at->second.size_known = true;
    on_changed_(at->first, at->second);
  }
}

void Outputs::Seen(const OutputKey& key, int64_t size) {
  const auto it = outputs_.find(key);
  if (it == outputs_.end() || it->second.ended || it->second.size == size) return;
  it->second.size = size;
  it->second.size_known = true;
  on_changed_(key, it->second);
}

void Outputs::Gone(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  const std::shared_ptr<OutputContainer> container = it->second;  // keep the container, because its outputs refer to it
  containers_.erase(it);
  container->connected = container->watched = container->leaving = false;
  NotifyAllOf(container.get());
}

void Outputs::NotifyAllOf(const OutputContainer* container) {
  if (!container->launched) return;
  for (auto at = outputs_.lower_bound({container->task}); at != outputs_.end(); ++at) {
    if (at->first.task != container->task) break;
    if (at->second.container.get() == container) on_changed_(at->first, at->second);
  }
}

}  // namespace howdah::am
