#include "feed_calls.h"

#include <utility>

namespace howdah::feed::server {

uint64_t FeedCalls::Add(wire::FeedCall call, OnReply on_reply) {
  const uint64_t id = ++last_;
  call.set_id(id);
  SendCall(call);
  calls_.emplace(id, Call{std::move(call), std::move(on_reply)});
  return id;
}

void FeedCalls::OnMessage(const wire::FeedReply& reply) {
  const auto at = calls_.find(reply.id());
  if (at == calls_.end()) return;
  const bool goes_on =
      at->second.message.has_supply() && reply.error().empty() && !reply.over() && reply.failed().empty();
  const OnReply on_reply = goes_on ? at->second.on_reply : std::move(at->second.on_reply);
  if (!goes_on) calls_.erase(at);
  on_reply(reply);
}

void FeedCalls::Cancel(uint64_t id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  if (at->second.message.has_supply()) {
    wire::FeedCall end;
    end.set_id(id);
    end.set_feed(at->second.message.feed());
    end.set_supply_ended(true);
    SendCall(end);
  }
  calls_.erase(at);
}

void FeedCalls::SendAgain() {
  for (const auto& [id, call] : calls_) SendCall(call.message);
}

void FeedCalls::SendCall(const wire::FeedCall& call) {
  wire::FromExecutor message;
  *message.mutable_feed_call() = call;
  send_(message);
}

}  // namespace howdah::feed::server
