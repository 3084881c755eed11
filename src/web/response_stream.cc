#include "response_stream.h"

#include <cstdio>

namespace howdah::web {
namespace {

std::string Chunk(std::string bytes) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

}  // namespace

ResponseStream::ResponseStream(OutputQueue& output, const ResponsePlan& plan, const Limits& limits,
                               std::function<void(bool complete)> finish)
    : output_(&output), framing_(plan.framing), limits_(limits), left_(plan.size), finish_(std::move(finish)) {}

bool ResponseStream::Write(std::string bytes) {
  if (closed()) return false;
  if (bytes.empty()) return !full();
  // A body that is longer than announced would be read as the next response.
  const bool too_long = framing_ == Framing::kSized && static_cast<int64_t>(bytes.size()) > left_;
  if (too_long || output_->queued() >= limits_.queue_bytes) {
    Abort();
    return false;
  }
  left_ -= static_cast<int64_t>(bytes.size());
  output_->Push(framing_ == Framing::kChunked ? Chunk(std::move(bytes)) : std::move(bytes));
  was_full_ = was_full_ || full();
  return !full();
}

bool ResponseStream::full() const { return !closed() && output_->queued() >= limits_.full_bytes; }

void ResponseStream::End() {
  if (closed()) return;
  if (framing_ == Framing::kChunked) output_->Push("0\r\n\r\n");
  Finish(framing_ != Framing::kSized || left_ == 0);
}

void ResponseStream::Abort() {
  if (!closed()) Finish(false);
}

void ResponseStream::Finish(bool complete) {
  const auto finish = std::move(finish_);
  Detach();
  finish(complete);
}

void ResponseStream::OnReady(std::function<void()> ready) {
  if (!closed()) ready_ = std::move(ready);
}

void ResponseStream::OnClosed(std::function<void()> closed_function) {
  if (closed()) return closed_function();
  closed_ = std::move(closed_function);
}

void ResponseStream::OnSent() {
  if (closed() || !was_full_ || output_->queued() > limits_.full_bytes / 2) return;
  was_full_ = false;
  const auto ready = ready_;  // a copy, because the function may end the response, which drops it
  if (ready) ready();
}

void ResponseStream::Detach() {
  output_ = nullptr;
  finish_ = nullptr;
  ready_ = nullptr;
  const auto closed_function = std::move(closed_);
  closed_ = nullptr;
  if (closed_function) closed_function();
}

}  // namespace howdah::web
