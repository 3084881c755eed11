// The writer of a produced body.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/web/message.h"
#include "output_queue.h"
#include "response_plan.h"

namespace howdah::web {

// Frames the bytes of the producer and pushes them to the connection's queue. Owned by the connection while the
// response is in progress, and by the producer.
class ResponseStream final : public BodyWriter {
 public:
  struct Limits {
    size_t full_bytes, queue_bytes;
  };
  // finish: called once when the producer has ended the body; `complete` is false if the client must notice that the
  // body is incomplete. May be called within any method. `output` must stay until Detach.
  ResponseStream(OutputQueue& output, const ResponsePlan& plan, const Limits& limits,
                 std::function<void(bool complete)> finish);

  bool Write(std::string bytes) override;
  bool full() const override;
  bool closed() const override { return output_ == nullptr; }
  void End() override;
  void Abort() override;
  void OnReady(std::function<void()> ready) override;
  void OnClosed(std::function<void()> closed) override;

  // The connection reports that bytes were sent.
  void OnSent();
  // The response has ended. Calls the producer's on_closed.
  void Detach();

 private:
  void Finish(bool complete);

  OutputQueue* output_;  // nullptr: the response has ended
  const Framing framing_;
  const Limits limits_;
  int64_t left_;  // bytes that the producer has yet to write, of kSized
  bool was_full_ = false;
  std::function<void(bool)> finish_;
  std::function<void()> ready_, closed_;
};

}  // namespace howdah::web
