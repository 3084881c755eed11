#include "howdah/hadoop/hdfs/open.h"

#include "file_keys.h"
#include "hdfs_file_system.h"
#include "howdah/base/epoch.h"
#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/token_proto.h"
#include "howdah/hadoop/rpc/token_service.h"
#include "posix_file_system.h"
#include "tokens.h"

namespace howdah::hadoop::hdfs {
namespace {

using hadoop::conf::Configuration;

constexpr const char* kProtection = "dfs.data.transfer.protection";
constexpr const char* kResolver = "dfs.trustedchannel.resolver.class";
constexpr const char* kDefaultResolver = "org.apache.hadoop.hdfs.protocol.datatransfer.TrustedChannelResolver";

Result<TransferSecurity> TransferSecurityOf(const Configuration& configuration) {
  TransferSecurity security;
  security.kerberos = hadoop::conf::UsesKerberos(configuration);
  security.accepted_from = configuration.Where(kProtection);
  if (const auto words = configuration.List(kProtection); !words.empty()) {
    const auto accepted = principals::MaskOf(words);
    if (!accepted) return accepted.error().While(security.accepted_from);
    security.accepted = *accepted;
  }
  // The class decides by address whether a handshake is left out, and only a JVM can run it.
  if (const std::string resolver = configuration.Text(kResolver, kDefaultResolver); resolver != kDefaultResolver) {
    security.unsupported =
        configuration.Where(kResolver) + " is " + resolver +
        ", but Howdah supports only the default; remove the key from the configuration of this client";
  }
  return security;
}

Result<HdfsOptions> OptionsOf(const Configuration& configuration, const std::string& authority,
                              const OpenOptions& open) {
  HdfsOptions options;
  options.uri = "hdfs://" + authority;
  options.home = configuration.Text("dfs.user.home.dir.prefix", "/user") + "/" + open.user;
  const auto replication = configuration.Number("dfs.replication", 3);
  const auto block_size = configuration.Number("dfs.blocksize", options.block_size);
  const auto use_hostname = configuration.Bool("dfs.client.use.datanode.hostname", false);
  const auto silence = configuration.Time("dfs.client.socket-timeout", options.transfer.silence);
  const auto security = TransferSecurityOf(configuration);
  for (const Error* error : {replication ? nullptr : &replication.error(), block_size ? nullptr : &block_size.error(),
                             use_hostname ? nullptr : &use_hostname.error(), silence ? nullptr : &silence.error(),
                             security ? nullptr : &security.error()}) {
    if (error != nullptr) return *error;
  }
  options.replication = static_cast<int>(*replication);
  options.block_size = *block_size;
  options.transfer.use_hostname = *use_hostname;
  options.transfer.connect = open.limits.connect;
  options.transfer.security = *security;
  if (*silence > Duration(0)) {
    options.transfer.silence = *silence;
    options.transfer.heartbeat = *silence / 2;
  }
  return options;
}

Result<hadoop::conf::FileSystemAddress> AddressOf(const Configuration& configuration, const std::string& uri) {
  HOWDAH_TRY(auto address, hadoop::conf::FileSystemOf(configuration, uri));
  if (address.scheme != "viewfs") return address;
  HOWDAH_TRY(const auto target, hadoop::conf::ResolveUri(configuration, uri));
  return hadoop::conf::FileSystemOf(configuration, target);
}

// The options of connections to the NameNodes of a file system.
Result<hadoop::rpc::ClientOptions> ClientOptionsOf(const Configuration& configuration,
                                                   const hadoop::conf::FileSystemAddress& address,
                                                   const OpenOptions& options) {
  hadoop::rpc::ClientOptions client;
  for (const auto& server : address.name_nodes) client.servers.push_back(server.address);
  client.protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
  HOWDAH_TRY(client.login, LoginOf(configuration, options.user,
                                   TokenOf(address, options.credentials, options.limits.connect), options.kerberos));
  client.limits = options.limits;
  client.service_name = address.logical ? "the NameNodes of " + address.authority : "the NameNode";
  client.configured_by = address.name_nodes.front().configured_by;
  return client;
}

// The calls of a NameNode for tokens. The caller needs a ticket, because a NameNode serves these calls only with one.
class TokenIssuer {
 public:
  static Result<TokenIssuer> Open(const Configuration& configuration, const hadoop::conf::FileSystemAddress& address,
                                  OpenOptions options) {
    options.credentials = {};
    HOWDAH_TRY(auto client, ClientOptionsOf(configuration, address, options));
    return TokenIssuer(std::move(client));
  }

  // The service of the token is not set. Returns nullopt if the NameNode requires no authentication.
  Result<std::optional<hadoop::rpc::Token>> Fetch(const std::string& renewer) {
    ::hadoop::common::GetDelegationTokenRequestProto request;
    request.set_renewer(renewer);
    const auto answer =
        name_node_->Call<::hadoop::common::GetDelegationTokenResponseProto>("getDelegationToken", request);
    if (!answer) return answer.error().While("asking " + name_ + " for a delegation token");
    if (!answer->has_token()) return std::optional<hadoop::rpc::Token>();
    const auto& token = answer->token();
    return std::optional(hadoop::rpc::Token{token.identifier(), token.password(), token.kind(), ""});
  }
  // Returns until when the token is accepted.
  Result<Instant> Renew(const hadoop::rpc::Token& token) {
    ::hadoop::common::RenewDelegationTokenRequestProto request;
    *request.mutable_token() = hadoop::rpc::ToProto(token);
    const auto answer =
        name_node_->Call<::hadoop::common::RenewDelegationTokenResponseProto>("renewDelegationToken", request);
    if (!answer) return answer.error().While("renewing a delegation token of " + name_);
    return FromMillis(static_cast<int64_t>(answer->newexpirytime()));
  }
  Status Cancel(const hadoop::rpc::Token& token) {
    ::hadoop::common::CancelDelegationTokenRequestProto request;
    *request.mutable_token() = hadoop::rpc::ToProto(token);
    const auto answer =
        name_node_->Call<::hadoop::common::CancelDelegationTokenResponseProto>("cancelDelegationToken", request);
    return answer.ok() ? Status() : Status(answer.error().While("cancelling a delegation token of " + name_));
  }

 private:
  explicit TokenIssuer(hadoop::rpc::ClientOptions client)
      : name_(client.service_name),
        name_node_(std::make_unique<RemoteNameNode>(std::move(client), /*use_hostname=*/false)) {}

  std::string name_;
  std::unique_ptr<RemoteNameNode> name_node_;
};

// Opens a client of the file system's KMS that uses the ticket; nullopt if the cluster has none.
Result<std::optional<hadoop::kms::KmsClient>> OpenKms(const Configuration& configuration, const std::string& uri,
                                                      const OpenOptions& options) {
  HOWDAH_TRY(const auto address, AddressOf(configuration, uri));
  HOWDAH_TRY(auto client, ClientOptionsOf(configuration, address, options));
  KmsFileKeys keys(std::make_shared<RemoteNameNode>(std::move(client), /*use_hostname=*/false), configuration, options);
  return keys.OpenKms(/*use_token=*/false);
}

// Renews a token that was fetched only for this purpose, and cancels it. Returns until when it is accepted.
template <typename Issuer>
Result<Instant> ValidityOf(Issuer& issuer, const hadoop::rpc::Token& token) {
  const Result<Instant> until = issuer.Renew(token);
  const Status cancelled = issuer.Cancel(token);
  if (!until.ok()) return until;
  return cancelled.ok() ? until : Result<Instant>(cancelled.error());
}

}  // namespace

Result<std::unique_ptr<FileSystem>> Open(const Configuration& configuration, const std::string& uri,
                                         const OpenOptions& options) {
  HOWDAH_TRY(const auto address, AddressOf(configuration, uri));
  if (address.scheme == "file") {
    return std::unique_ptr<FileSystem>(std::make_unique<PosixFileSystem>(configuration.environment().user_home));
  }
  HOWDAH_TRY(auto hdfs, OptionsOf(configuration, address.authority, options));
  HOWDAH_TRY(auto client, ClientOptionsOf(configuration, address, options));
  auto name_node = std::make_shared<RemoteNameNode>(std::move(client), hdfs.transfer.use_hostname);
  auto keys = std::make_shared<KmsFileKeys>(name_node, configuration, options);
  return std::unique_ptr<FileSystem>(
      std::make_unique<HdfsFileSystem>(std::move(name_node), std::move(keys), std::move(hdfs)));
}

Result<std::optional<hadoop::rpc::Token>> FetchToken(const Configuration& configuration, const std::string& uri,
                                                     const OpenOptions& options, const std::string& renewer) {
  HOWDAH_TRY(const auto address, AddressOf(configuration, uri));
  if (address.scheme == "file") return std::optional<hadoop::rpc::Token>();
  HOWDAH_TRY(auto issuer, TokenIssuer::Open(configuration, address, options));
  HOWDAH_TRY(auto token, issuer.Fetch(renewer));
  if (!token) return std::optional<hadoop::rpc::Token>();
  HOWDAH_TRY(token->service, ServiceOf(configuration, address, options.limits.connect));
  return token;
}

Result<std::optional<KmsToken>> FetchKmsToken(const Configuration& configuration, const std::string& uri,
                                              const OpenOptions& options, const std::string& renewer) {
  HOWDAH_TRY(auto kms, OpenKms(configuration, uri, options));
  if (!kms) return std::optional<KmsToken>();
  HOWDAH_TRY(auto token, kms->FetchToken(renewer));
  HOWDAH_TRY(const bool use_ip, configuration.Bool("hadoop.security.token.service.use_ip", true));
  HOWDAH_TRY(auto alias, hadoop::rpc::TokenService(kms->first_server(), use_ip, options.limits.connect));
  return std::optional(KmsToken{std::move(alias), std::move(token)});
}

Result<Instant> ValidityOfNewKmsToken(const Configuration& configuration, const std::string& uri,
                                      const OpenOptions& options) {
  HOWDAH_TRY(auto kms, OpenKms(configuration, uri, options));
  if (!kms) return Instant::max();
  HOWDAH_TRY(const auto token, kms->FetchToken(options.user));
  return ValidityOf(*kms, token);
}

Result<Instant> ValidityOfNewToken(const Configuration& configuration, const std::string& uri,
                                   const OpenOptions& options) {
  HOWDAH_TRY(const auto address, AddressOf(configuration, uri));
  HOWDAH_TRY(auto issuer, TokenIssuer::Open(configuration, address, options));
  HOWDAH_TRY(const auto token, issuer.Fetch(options.user));
  if (!token) return Failed(uri + " issues no tokens");
  return ValidityOf(issuer, *token);
}

}  // namespace howdah::hadoop::hdfs
