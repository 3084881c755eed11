// A file of HDFS being read.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "block_reader.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "name_node.h"

namespace howdah::hadoop::hdfs {

class FileReader : public Reader {
 public:
  // Of a file that is being written, what has been flushed by now. kUnavailable: a kind of file that cannot be read
  // (erasure coded, in an encryption zone).
  static Result<std::unique_ptr<FileReader>> Open(std::shared_ptr<NameNode> name_node, const std::string& path,
                                                  const TransferOptions& options);

  int64_t size() const override { return size_; }
  Result<std::string> Read(size_t most) override;
  Status Seek(int64_t offset) override;

 private:
  FileReader(std::shared_ptr<NameNode> name_node, std::string path, TransferOptions options)
      : name_node_(std::move(name_node)), path_(std::move(path)), options_(std::move(options)) {}

  struct Stretch {  // a block's bytes in the file
    int64_t begin = 0, end = 0;
    NameNode::LocatedBlock block;
  };

  Status Locate();
  const Stretch* StretchAt(int64_t position) const;
  Result<std::string_view> NextBytes();
  Status OpenReplica();

  std::shared_ptr<NameNode> name_node_;
  std::string path_;
  TransferOptions options_;
  std::vector<Stretch> stretches_;
  int64_t size_ = 0, position_ = 0;
  std::optional<BlockReader> reader_;
  std::string_view rest_;          // of reader_'s last bytes
  std::string node_;               // that reader_ reads from
  std::set<std::string> bad_;      // DataNodes that failed here
  std::string failures_;           // since bytes came last: who failed and why
  int64_t located_again_at_ = -1;  // where the NameNode was asked anew, so that it is not asked for ever
};

}  // namespace howdah::hadoop::hdfs
