#include "howdah/hadoop/hdfs/open.h"

#include "hdfs_file_system.h"
#include "howdah/hadoop/conf/services.h"
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

}  // namespace

Result<std::unique_ptr<FileSystem>> Open(const Configuration& configuration, const std::string& uri,
                                         const OpenOptions& options) {
  auto address = hadoop::conf::FileSystemOf(configuration, uri);
  if (address && address->scheme == "viewfs") {
    HOWDAH_TRY(const auto target, hadoop::conf::ResolveUri(configuration, uri));
    address = hadoop::conf::FileSystemOf(configuration, target);
  }
  if (!address) return address.error();
  if (address->scheme == "file") {
    return std::unique_ptr<FileSystem>(std::make_unique<PosixFileSystem>(configuration.environment().user_home));
  }
  HOWDAH_TRY(auto hdfs, OptionsOf(configuration, address->authority, options));
  hadoop::rpc::ClientOptions client;
  for (const auto& server : address->name_nodes) client.servers.push_back(server.address);
  client.protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
  HOWDAH_TRY(client.login, LoginOf(configuration, options.user,
                                   TokenOf(*address, options.credentials, options.limits.connect), options.kerberos));
  client.limits = options.limits;
  client.service_name = address->logical ? "the NameNodes of " + address->authority : "the NameNode";
  client.configured_by = address->name_nodes.front().configured_by;
  auto name_node = std::make_shared<RemoteNameNode>(std::move(client), hdfs.transfer.use_hostname);
  return std::unique_ptr<FileSystem>(std::make_unique<HdfsFileSystem>(std::move(name_node), std::move(hdfs)));
}

}  // namespace howdah::hadoop::hdfs
