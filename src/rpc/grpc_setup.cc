#include "grpc_setup.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/security/credentials.h>
#include <openssl/bio.h>
#include <openssl/conf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include "howdah/rpc/openssl_setup.h"

namespace grpc_core {

class CoreConfiguration {
 public:
  class Builder;
};
// gRPC registers its code for service meshes (xDS, RLS) with this function, which is 1.6 MB. This definition replaces
// the one in libgrpc.a, so the linker leaves that code out. Our addresses are those of sockets and IP addresses, which
// need none of it.
void RegisterExtraFilters(CoreConfiguration::Builder*);
void RegisterExtraFilters(CoreConfiguration::Builder*) {}

}  // namespace grpc_core

namespace howdah::rpc {
namespace {

// A failed assertion ends the process, so its text must be printed. All other problems are reported by the status of a
// call.
void LogOnlyAssertions(gpr_log_func_args* line) {
  if (std::string_view(line->message).starts_with("assertion failed")) {
    std::fprintf(stderr, "%s:%d: %s\n", line->file, line->line, line->message);
  }
}

// Removes gRPC's variables (GRPC_VERBOSITY, GRPC_TRACE, GRPC_ENABLE_FORK_SUPPORT and so on) from the environment,
// because the user has set them for the user's own programs.
void RemoveGrpcVariables() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view text(*variable);
    if (text.starts_with("GRPC_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

// OpenSSL settings for which gRPC has no option. Session tickets are off: no party uses them, and they cost two
// messages and the memory of two sessions per connection. The cheapest cipher suite comes first.
constexpr char kTlsDefaults[] =
    "openssl_conf = howdah\n[howdah]\nssl_conf = ssl\n[ssl]\nsystem_default = tls\n[tls]\nNumTickets = 0\n"
    "Ciphersuites = TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256\n";

void SetTlsDefaults() {
  IgnoreOpensslConfiguration();  // gRPC would load it
  OPENSSL_load_builtin_modules();
  CONF* conf = NCONF_new(nullptr);
  BIO* text = BIO_new_mem_buf(kTlsDefaults, sizeof kTlsDefaults - 1);
  // These settings only affect speed, so failures are ignored.
  if (conf != nullptr && text != nullptr && NCONF_load_bio(conf, text, nullptr) == 1) {
    CONF_modules_load(conf, nullptr, CONF_MFLAGS_SILENT);
  }
  BIO_free(text);
  NCONF_free(conf);
}

void SetCommonArguments(grpc::ChannelArguments& arguments) {
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
}

bool IsLiteralIpv6(const std::string& address) { return address.starts_with('['); }

}  // namespace

void PrepareGrpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    RemoveGrpcVariables();
    gpr_set_log_function(LogOnlyAssertions);
    // Disable deadlock detection, which Debian's abseil enables: it would take one process-wide lock for every lock of
    // gRPC.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    // Keep gRPC initialised until the process ends: its shutdown runs on a thread that races with exit.
    grpc_init();
  });
}

void PrepareTls() {
  static std::once_flag once;
  std::call_once(once, SetTlsDefaults);
}

Result<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address, const Identity& identity,
                                                   grpc::ChannelArguments arguments) {
  PrepareGrpc();
  PrepareTls();
  SetCommonArguments(arguments);
  arguments.SetSslTargetNameOverride(std::string(kAmName));
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);

  grpc::SslCredentialsOptions options;
  options.pem_root_certs = identity.ca_certificate;
  options.pem_cert_chain = identity.certificate;
  options.pem_private_key = identity.private_key;
  auto channel = grpc::CreateCustomChannel((IsLiteralIpv6(address) ? "ipv6:" : "ipv4:") + address,
                                           grpc::SslCredentials(options), arguments);
  if (!channel) return Failed("connecting to the AM at " + address + ": gRPC created no channel");
  return channel;
}

std::shared_ptr<grpc::Channel> MakeSocketChannel(os::files::Fd socket, grpc::ChannelArguments arguments) {
  PrepareGrpc();
  SetCommonArguments(arguments);
  return grpc::CreateCustomInsecureChannelFromFd(std::string(kAmName), socket.Release(), arguments);
}

std::string Explain(const grpc::Status& status) {
  std::string message = status.error_message();
  std::string_view text = message;
  // In "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to connect to remote host:
  // Connection refused", keep only the last reason, because our message already has the address.
  for (std::string_view prefix : {"last error: ", "Failed to connect to remote host: "}) {
    if (size_t at = text.find(prefix); at != text.npos) text.remove_prefix(at + prefix.size());
  }
  if (text.empty()) return "gRPC status " + std::to_string(status.error_code());
  return std::string(text);
}

}  // namespace howdah::rpc
