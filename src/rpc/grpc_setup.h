// gRPC settings shared by clients and server.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc {

inline constexpr int kMaxMessageBytes = 64 << 20;
inline constexpr char kAttachMethod[] = "/howdah.wire.Executors/Attach";
inline constexpr char kCallMethod[] = "/howdah.wire.Control/Call";
inline constexpr char kFollowMethod[] = "/howdah.wire.Control/Follow";
inline constexpr char kMetricsMethod[] = "/howdah.wire.Control/Metrics";
inline constexpr char kTunnelMethod[] = "/howdah.wire.Control/Tunnel";
inline constexpr char kAcceptTunnelMethod[] = "/howdah.wire.Executors/AcceptTunnel";

// Runs once per process, before any other use of gRPC. Makes gRPC ignore the settings of the machine and the
// environment, disables gRPC's own log (the status of a call reports its failure) and limits gRPC's threads.
void PrepareGrpc();
// Runs once per process, before any use of TLS.
void PrepareTls();

// Creates a channel to the AM at an IP address and port ("127.0.0.1:40123", "[::1]:40123"), without name resolution and
// proxies. The channel has its own connection, which the first call or Channel::GetState(true) opens.
Result<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address, const Identity& identity,
                                                   grpc::ChannelArguments arguments);
// Creates a channel over a connected, non-blocking socket, without TLS. It does not reconnect.
std::shared_ptr<grpc::Channel> MakeSocketChannel(os::files::Fd socket, grpc::ChannelArguments arguments);

// Returns gRPC's reason for the failure of a call, without the addresses and general phrases that gRPC puts before it.
std::string Explain(const grpc::Status& status);

}  // namespace howdah::rpc
