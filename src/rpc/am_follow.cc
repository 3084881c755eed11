#include "howdah/rpc/am_follow.h"

#include "client_stream.h"

namespace howdah::rpc {

std::unique_ptr<AmFollow> AmFollow::Start(const std::string& address, const Identity& identity,
                                          const wire::FollowRequest& request, Duration connect_limit) {
  using Stream = ClientStream<AmFollow, wire::FollowRequest, wire::FollowReply>;
  const Stream::Method method{
      .doing = "following the job",
      .call = [](wire::Control::Stub& stub, grpc::ClientContext* context) { return stub.Follow(context); },
      .is_last = [](const wire::FollowReply& reply) { return reply.has_ended(); }};
  return std::make_unique<Stream>(method, address, identity, request, connect_limit);
}

}  // namespace howdah::rpc
