#include "howdah/hadoop/hdfs/open.h"

#include "hdfs_file_system.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/messages/security.pb.h"
#include "posix_file_system.h"
#include "tokens.h"

namespace howdah::hadoop::hdfs {
namespace {

using hadoop::conf::Configuration;

// Explains why data transfer with this configuration would need SASL. Returns an empty text if it would not. Decides
// like SaslDataTransferClient.send.
Result<std::string> WhyUnsupported(const Configuration& configuration) {
  HOWDAH_TRY(const auto encrypted, configuration.Bool("dfs.encrypt.data.transfer", false));
  const bool secure = configuration.Text("hadoop.security.authentication") == "kerberos";
  const bool wrapped = secure && configuration.Get("dfs.data.transfer.protection").has_value();
  if (!encrypted && !wrapped) return std::string();
  return configuration.Where(encrypted ? "dfs.encrypt.data.transfer" : "dfs.data.transfer.protection") +
         " requires protected transfers to DataNodes, which Howdah does not support yet";
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
  const auto unsupported = WhyUnsupported(configuration);
  for (const Error* error : {replication ? nullptr : &replication.error(), block_size ? nullptr : &block_size.error(),
                             use_hostname ? nullptr : &use_hostname.error(), silence ? nullptr : &silence.error(),
                             unsupported ? nullptr : &unsupported.error()}) {
    if (error != nullptr) return *error;
  }
  options.replication = static_cast<int>(*replication);
  options.block_size = *block_size;
  options.transfer.use_hostname = *use_hostname;
  options.transfer.connect = open.limits.connect;
  options.transfer.unsupported = *unsupported;
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
  return std::unique_ptr<FileSystem>(std::make_unique<HdfsFileSystem>(std::move(name_node), std::move(hdfs)));
}

Result<std::optional<hadoop::rpc::Token>> FetchToken(const Configuration& configuration, const std::string& uri,
                                                     const OpenOptions& options, const std::string& renewer) {
  HOWDAH_TRY(const auto address, AddressOf(configuration, uri));
  if (address.scheme == "file") return std::optional<hadoop::rpc::Token>();
  OpenOptions with_ticket = options;
  with_ticket.credentials = {};
  HOWDAH_TRY(auto client, ClientOptionsOf(configuration, address, with_ticket));
  const std::string doing = "asking " + client.service_name + " for a delegation token";
  RemoteNameNode name_node(std::move(client), /*use_hostname=*/false);
  ::hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(renewer);
  const auto answer = name_node.Call<::hadoop::common::GetDelegationTokenResponseProto>("getDelegationToken", request);
  if (!answer) return answer.error().While(doing);
  if (!answer->has_token()) return Failed(doing + ": none was returned");
  const auto& token = answer->token();
  hadoop::rpc::Token fetched{token.identifier(), token.password(), token.kind(), ""};
  HOWDAH_TRY(fetched.service, ServiceOf(configuration, address, options.limits.connect));
  return std::optional(std::move(fetched));
}

}  // namespace howdah::hadoop::hdfs
