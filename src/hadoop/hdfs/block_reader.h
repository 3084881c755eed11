// Reads a range of one block from one DataNode.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data_connection.h"
#include "data_node_connector.h"
#include "howdah/base/crc.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {

class BlockReader {
 public:
  // `offset` and `length` must be within the block. `client` is the reader's name in the DataNode's log and may be any
  // text.
  static Result<BlockReader> Open(DataNodeConnector& connector, const ::hadoop::hdfs::LocatedBlockProto& block,
                                  const ::hadoop::hdfs::DatanodeInfoProto& node, const std::string& client,
                                  int64_t offset, int64_t length);

  // Returns the next bytes, at most one packet, after verifying their checksums. The bytes are valid until the next
  // call. They are in `out` if the whole packet fits into its `size` bytes. Returns an empty view after all `length`
  // bytes.
  Result<std::string_view> Next(char* out = nullptr, size_t size = 0);
  // The connection, if it can be used for another block: all bytes were read. Call it last.
  std::optional<DataConnection> TakeConnection() &&;

 private:
  BlockReader(DataConnection connection, Duration silence, int64_t offset, int64_t length)
      : connection_(std::move(connection)), silence_(silence), offset_(offset), left_(length) {}
  static Result<BlockReader> OpenOn(DataConnection connection, Duration silence, std::string_view request,
                                    int64_t offset, int64_t length);

  // Reads a packet's prefix and header. Sets `body` to the number of bytes that follow.
  Result<PacketHeader> ReadHead(size_t& body);
  // Reads the next packet: its data to `out` if they fit there, else to body_. Sets data_.
  Status ReadPacket(char* out, size_t size);
  Status Verify(const PacketHeader& header, std::string_view data, std::string_view sums) const;
  Status Finish();

  DataConnection connection_;
  Duration silence_;
  int64_t offset_;  // offset in the block of the next byte to return
  int64_t left_;
  bool finished_ = false;  // whether the DataNode waits for the next request
  bool checked_ = true;    // whether the block has checksums
  Crc crc_ = Crc::kCrc32c;
  size_t chunk_ = 512;
  std::string body_;       // checksums of the current packet, and its data unless they are in the caller's memory
  std::string_view data_;  // the data not yet returned
};

}  // namespace howdah::hadoop::hdfs
