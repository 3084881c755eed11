#include "howdah/rpc/feed_calls.h"

#include "howdah/rpc/control_client.h"

namespace howdah::rpc {

Result<FeedAddress> AskFeedAddress(const AmContact& am, const std::string& feed, Duration limit) {
  wire::ControlRequest request;
  request.mutable_feed()->set_feed(feed);
  request.mutable_feed()->mutable_address();
  HOWDAH_TRY(const auto reply, CallAm(am.address, am.identity, request, limit));
  const wire::FeedAddress& address = reply.feed_address();
  return FeedAddress{address.feed(), {address.locations().begin(), address.locations().end()}, address.token()};
}

Status CloseFeed(const AmContact& am, const std::string& feed, Duration limit) {
  wire::ControlRequest request;
  request.mutable_feed()->set_feed(feed);
  request.mutable_feed()->mutable_close();
  const auto reply = CallAm(am.address, am.identity, request, limit);
  return reply.ok() ? Status() : Status(reply.error());
}

}  // namespace howdah::rpc
