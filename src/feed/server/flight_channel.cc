#include "flight_channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>
#include <utility>

#include "howdah/base/host_port.h"
#include "howdah/rpc/openssl_setup.h"

namespace howdah::feed::server {
namespace {

constexpr int kWindowBytes = 8 << 20;  // blocks are read without a pause

bool IsOwnSocket(const std::string& path) {
  struct stat info {};
  return !path.empty() && ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

std::string FlightTarget(const FlightAddress& address) {
  if (IsOwnSocket(address.unix_path)) return "unix:" + address.unix_path;
  const std::string text = HostPort{address.host, address.port}.Text();
  return (text.starts_with('[') ? "ipv6:" : "ipv4:") + text;
}

std::shared_ptr<grpc::Channel> MakeFlightChannel(const std::string& target, const std::string& ca_certificate) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(FlightServer::kMessageBytes);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, int>>{{GRPC_ARG_ENABLE_RETRIES, 0},
                                                          {GRPC_ARG_ENABLE_CHANNELZ, 0},
                                                          {GRPC_ARG_ENABLE_HTTP_PROXY, 0},
                                                          {GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1},
                                                          {GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1},
                                                          {GRPC_ARG_HTTP2_BDP_PROBE, 0},
                                                          {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes},
                                                          {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, FlightServer::kFrameBytes},
                                                          {GRPC_ARG_TCP_READ_CHUNK_SIZE, FlightServer::kReadBytes}}) {
    arguments.SetInt(name, value);
  }
  if (target.starts_with("unix:")) {
    return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
  }
  rpc::IgnoreOpensslConfiguration();
  arguments.SetSslTargetNameOverride(std::string(rpc::kExecutorName));
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ca_certificate;
  return grpc::CreateCustomChannel(target, grpc::SslCredentials(options), arguments);
}

}  // namespace howdah::feed::server
