#include "howdah/rpc/control_client.h"

#include <grpcpp/client_context.h>

#include "grpc_setup.h"
#include "howdah/wire/control.grpc.pb.h"

namespace howdah::rpc {
namespace {

Error ToError(const std::string& address, const grpc::Status& status, bool connected, Duration limit) {
  std::string doing = "asking the AM at " + address;
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return {ErrorCode::kUnavailable, doing + ": it cannot be reached: " + Explain(status)};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      if (!connected) {
        return {ErrorCode::kUnavailable,
                doing + ": no connection within " + FormatDuration(limit) + "; is the node up, and its port open?"};
      }
      return {ErrorCode::kTimeout, doing + ": no answer within " + FormatDuration(limit)};
    default:
      return Failed(doing + ": " + Explain(status));
  }
}

}  // namespace

Result<wire::ControlReply> CallAm(const std::string& address, const Identity& identity,
                                  const wire::ControlRequest& request, Duration limit) {
  HOWDAH_TRY(auto channel, MakeChannel(address, identity, grpc::ChannelArguments()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + limit);
  context.set_wait_for_ready(false);  // a refused connection means that the AM is gone
  wire::ControlReply reply;
  grpc::Status status = wire::Control::NewStub(channel)->Call(&context, request, &reply);
  if (!status.ok()) {
    return ToError(address, status, channel->GetState(false) == GRPC_CHANNEL_READY, limit);
  }
  if (!reply.error().empty()) return Error{reply.never() ? ErrorCode::kUsage : ErrorCode::kFailed, reply.error()};
  return reply;
}

}  // namespace howdah::rpc
