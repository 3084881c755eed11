// A stretch of one block, read from one DataNode.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "crc.h"
#include "data_connection.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {

class BlockReader {
 public:
  // offset and length lie within the block. client: any name.
  static Result<BlockReader> Open(const ::hadoop::hdfs::LocatedBlockProto& block,
                                  const ::hadoop::hdfs::DatanodeInfoProto& node, const std::string& client,
                                  int64_t offset, int64_t length, const TransferOptions& options);

  // The next bytes, checked, at most a packet; valid until the next call. Empty: all `length` have come.
  Result<std::string_view> Next();

 private:
  BlockReader(DataConnection connection, Duration silence, int64_t offset, int64_t length)
      : connection_(std::move(connection)), silence_(silence), offset_(offset), left_(length) {}

  // A packet's prefix and header; `body` bytes follow.
  Result<PacketHeader> ReadHead(size_t& body);
  Status ReadPacket();
  Status Finish();

  DataConnection connection_;
  Duration silence_;
  int64_t offset_;  // in the block, of the next byte that is wanted
  int64_t left_;
  bool checked_ = true;  // there are checksums
  Crc crc_ = Crc::kCrc32c;
  size_t chunk_ = 512;
  std::string body_;       // of the present packet: checksums and data
  std::string_view data_;  // of body_, what has not been returned
};

}  // namespace howdah::hadoop::hdfs
