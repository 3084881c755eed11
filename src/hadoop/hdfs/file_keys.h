// The keys of files in encryption zones.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/hadoop/kms/kms_client.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "name_node.h"

namespace howdah::hadoop::hdfs {

// The interface that readers and writers use. Thread-safe.
class FileKeys {
 public:
  virtual ~FileKeys() = default;
  // Returns the key with which the bytes of the file are encrypted (AES/CTR; the counter begins with info.iv). Blocks.
  virtual Result<std::string> KeyOf(const ::hadoop::hdfs::FileEncryptionInfoProto& info) = 0;
  // See FileSystem::encryption.
  virtual std::string newest() const = 0;
};

// The keys of a cluster's KMS. The NameNode states which KMS it is; if it does not, the configuration does
// (hadoop.security.key.provider.path).
class KmsFileKeys : public FileKeys {
 public:
  KmsFileKeys(std::shared_ptr<RemoteNameNode> name_node, const hadoop::conf::Configuration& configuration,
              OpenOptions options);

  Result<std::string> KeyOf(const ::hadoop::hdfs::FileEncryptionInfoProto& info) override;
  std::string newest() const override;
  // Opens a client of the KMS; nullopt if the cluster has none. `use_token`: whether a token takes precedence over a
  // ticket.
  Result<std::optional<hadoop::kms::KmsClient>> OpenKms(bool use_token);

 private:
  // The URI of the KMS; empty if the cluster has none.
  Result<std::string> ProviderUri();

  const std::shared_ptr<RemoteNameNode> name_node_;
  const hadoop::conf::Configuration configuration_;
  const OpenOptions options_;
  mutable std::mutex mutex_;
  std::optional<hadoop::kms::KmsClient> kms_;  // nullopt before its first use
  std::string newest_;
};

}  // namespace howdah::hadoop::hdfs
