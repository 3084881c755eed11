// What both ends set the same way before they use gRPC.
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
inline constexpr char kCarryMethod[] = "/howdah.wire.Executors/Carry";

// Once per process, before anything of gRPC is touched: no settings from the machine or the environment, no log lines
// of gRPC's own (what went wrong is in the status of the call), few threads.
void PrepareGrpc();

// A channel to the AM at an IP address and port ("127.0.0.1:40123", "[::1]:40123"); nothing is resolved and no proxy
// asked. It has a connection of its own, which begins at the first call or Channel::GetState(true).
Result<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address, const Identity& identity,
                                                   grpc::ChannelArguments arguments);

// gRPC's words for why a call failed, without its prefixes of addresses and times.
std::string Explain(const grpc::Status& status);

}  // namespace howdah::rpc
