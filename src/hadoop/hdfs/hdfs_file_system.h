// HDFS through its native protocols: the NameNode's RPC and the DataNodes' data transfer protocol.
//
// WebHDFS is not used, for three reasons. First, the native ports are reachable wherever YARN works, because
// NodeManagers localize files through them. Second, the calls to YARN need the RPC protocol and its authentication
// anyway. Third, WebHDFS is slower, because an HTTP server in a JVM copies every byte.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data_node_connector.h"
#include "file_keys.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "name_node.h"

namespace howdah::hadoop::hdfs {

struct HdfsOptions {
  std::string uri;   // "hdfs://ns1"
  std::string home;  // "/user/ann"
  int replication = 3;
  int64_t block_size = 128 << 20;
  TransferOptions transfer;
};

// Converts the NameNode's description of a file or directory.
FileStatus FileStatusOf(const ::hadoop::hdfs::HdfsFileStatusProto& proto, const std::string& name);
// Appends the entries of one answer to getListing. clean: the path that is listed. Returns an error if the name of an
// entry is not that of a file in a directory, because callers use the names in paths.
Status AppendEntries(const ::hadoop::hdfs::DirectoryListingProto& listing, const std::string& clean,
                     std::vector<FileStatus>& entries);

class HdfsFileSystem : public FileSystem {
 public:
  HdfsFileSystem(std::shared_ptr<RemoteNameNode> name_node, std::shared_ptr<FileKeys> keys, HdfsOptions options)
      : name_node_(std::move(name_node)),
        keys_(std::move(keys)),
        connector_(std::make_shared<DataNodeConnector>(name_node_, options.transfer)),
        options_(std::move(options)) {}

  std::string uri() const override { return options_.uri; }
  std::string home_directory() const override { return options_.home; }
  std::string server_security() const override { return name_node_->security(); }
  std::string transfer_protection() const override { return connector_->last_protection(); }
  std::string encryption() const override { return keys_->newest(); }
  Result<FileStatus> Stat(const std::string& path) override;
  Result<std::vector<FileStatus>> List(const std::string& path) override;
  Status MakeDirectories(const std::string& path, uint32_t permission) override;
  Status Rename(const std::string& from, const std::string& to, bool overwrite) override;
  Status Delete(const std::string& path, bool recursive) override;
  Status SetPermission(const std::string& path, uint32_t permission) override;
  Status SetTimes(const std::string& path, int64_t modified_millis) override;
  Result<std::unique_ptr<Writer>> Create(const std::string& path, const CreateOptions& options) override;
  Result<std::unique_ptr<Reader>> Open(const std::string& path) override;

 private:
  // Adds the operation to the message: "listing hdfs://ns1/a: ...".
  Error Wrong(const char* doing, const std::string& path, const Error& error) const {
    return error.While(std::string(doing) + " " + options_.uri + path);
  }
  template <typename Response, typename Request>
  Status Do(const char* method, const Request& request, const char* doing, const std::string& path);

  std::shared_ptr<RemoteNameNode> name_node_;
  std::shared_ptr<FileKeys> keys_;
  std::shared_ptr<DataNodeConnector> connector_;
  HdfsOptions options_;
};

}  // namespace howdah::hadoop::hdfs
