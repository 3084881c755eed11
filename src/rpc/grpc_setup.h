// gRPC settings shared by clients and server.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc {

inline constexpr int kMaxMessageBytes = 64 << 20;
inline constexpr char kAttachMethod[] = "/howdah.wire.Executors/Attach";
inline constexpr char kCallMethod[] = "/howdah.wire.Control/Call";
inline constexpr char kFollowMethod[] = "/howdah.wire.Control/Follow";
inline constexpr char kTunnelMethod[] = "/howdah.wire.Control/Tunnel";
inline constexpr char kAcceptTunnelMethod[] = "/howdah.wire.Executors/AcceptTunnel";

// Runs once per process, before any other use of gRPC. Ignores gRPC settings of the machine and the environment,
// disables gRPC's own log (failures are in the status of a call) and limits its threads.
void PrepareGrpc();

// Creates a channel to the AM at an IP address and port ("127.0.0.1:40123", "[::1]:40123"), without name resolution and
// proxies. The channel has a connection of its own, opened by the first call or by Channel::GetState(true).
Result<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address, const Identity& identity,
                                                   grpc::ChannelArguments arguments);

// gRPC's reason for the failure of a call, without its prefixes of addresses and times.
std::string Explain(const grpc::Status& status);

}  // namespace howdah::rpc
