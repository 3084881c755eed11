// Reads a file of HDFS.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aes_ctr.h"
#include "block_reader.h"
#include "file_keys.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "name_node.h"

namespace howdah::hadoop::hdfs {

class FileReader : public Reader {
 public:
  // Opens a file. If the file is still being written, the reader covers the bytes that have been flushed. Returns
  // kUnavailable if the file is erasure coded, which is not supported. `keys`: for files in encryption zones.
  static Result<std::unique_ptr<FileReader>> Open(std::shared_ptr<NameNode> name_node,
                                                  std::shared_ptr<DataNodeConnector> connector,
                                                  std::shared_ptr<FileKeys> keys, const std::string& path);

  ~FileReader() override { CloseReplica(); }
  int64_t size() const override { return size_; }
  Result<std::string> Read(size_t most) override;
  Result<size_t> ReadInto(char* out, size_t size) override;
  Status Seek(int64_t offset) override;
  void ExpectUntil(int64_t offset) override { expected_end_ = offset; }

 private:
  FileReader(std::shared_ptr<NameNode> name_node, std::shared_ptr<DataNodeConnector> connector,
             std::shared_ptr<FileKeys> keys, std::string path)
      : name_node_(std::move(name_node)),
        connector_(std::move(connector)),
        keys_(std::move(keys)),
        path_(std::move(path)) {}

  struct BlockRange {  // the range of a block in the file
    int64_t begin = 0, end = 0;
    NameNode::LocatedBlock block;
  };

  Status Locate();
  // Appends a block to the file.
  Status Append(const NameNode::LocatedBlock& block, int64_t length);
  const BlockRange* RangeAt(int64_t position) const;
  // Sets rest_ to the next bytes. They are in `out` if a whole packet fits there.
  Status NextBytes(char* out, size_t size);
  Status OpenReplica();
  // Ends the reading from the open replica.
  void CloseReplica();
  // Decrypts bytes of the file that begin at position_.
  Status Decrypt(char* bytes, size_t size);

  std::shared_ptr<NameNode> name_node_;
  std::shared_ptr<DataNodeConnector> connector_;
  std::shared_ptr<FileKeys> keys_;
  std::string path_;
  std::string key_, iv_;              // empty unless the file is in an encryption zone
  std::optional<AesCtr> decryption_;  // the stream of the bytes from position_ on; nullopt after Seek
  std::vector<BlockRange> ranges_;
  int64_t size_ = 0, position_ = 0;
  int64_t expected_end_ = INT64_MAX;
  std::optional<BlockReader> reader_;
  std::string_view rest_;      // the unread part of the bytes that reader_ returned last
  std::string node_;           // the DataNode that reader_ reads from
  std::set<std::string> bad_;  // DataNodes that failed for this file
  std::string failures_;       // the DataNodes that failed since the last successful read, with reasons
  // The position at which Locate was last called again because all replicas had failed. Locate is called again at most
  // once per position.
  int64_t located_again_at_ = -1;
};

}  // namespace howdah::hadoop::hdfs
