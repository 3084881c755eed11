#include "howdah/metrics/recorder.h"

#include <utility>

#include "file_reader.h"
#include "howdah/metrics/file.h"
#include "recording.h"

namespace howdah::metrics {

Recorder::Recorder(Instant begun, Limits limits) : impl_(std::make_unique<Impl>(Recording(begun, limits))) {}
Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder Recorder::Continue(const File& file, Limits limits, std::string* problem) {
  Recording recording(file.begun(), limits);
  file.impl_->LoadInto(recording, problem);
  return Recorder(std::make_unique<Impl>(std::move(recording)));
}

void Recorder::Add(const TaskKey& task, const Sample& sample) { impl_->recording.Add(task, sample); }

std::string Recorder::Encode() const {
  Encoder encoder(*this);
  while (encoder.Step()) {
  }
  return encoder.Take();
}

Table Recorder::Read(const Query& query) const { return impl_->recording.Read(query); }
std::vector<TaskKey> Recorder::tasks() const { return impl_->recording.TaskKeys(); }
Instant Recorder::begun() const { return impl_->recording.begun(); }
int64_t Recorder::memory() const { return impl_->recording.memory(); }
uint64_t Recorder::changes() const { return impl_->recording.changes(); }

}  // namespace howdah::metrics
