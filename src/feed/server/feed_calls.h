// The open FeedCalls of an executor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "howdah/wire/executor.pb.h"

namespace howdah::feed::server {

// Used on the owner's loop only.
class FeedCalls {
 public:
  using Send = std::function<void(const wire::FromExecutor&)>;
  using OnReply = std::function<void(const wire::FeedReply&)>;

  // send: as Hub::Handlers::send.
  explicit FeedCalls(Send send) : send_(std::move(send)) {}

  // Sends a call with a new id, and returns the id. on_reply is called once; for a supply call with each reply, until
  // one of them ends the call. It may call this object.
  uint64_t Add(wire::FeedCall call, OnReply on_reply);
  void OnMessage(const wire::FeedReply& reply);
  // No reply is wanted any more. The end of a supply call is reported to the AM.
  void Cancel(uint64_t id);
  // Another AM, or another stream to it: it has forgotten all calls.
  void SendAgain();

  size_t open() const { return calls_.size(); }

 private:
  struct Call {
    wire::FeedCall message;
    OnReply on_reply;
  };
  void SendCall(const wire::FeedCall& call);

  Send send_;
  uint64_t last_ = 0;
  std::map<uint64_t, Call> calls_;  // in the order in which they were sent
};

}  // namespace howdah::feed::server
