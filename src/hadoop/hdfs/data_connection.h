// A connection to a DataNode. All block data passes through it.
#pragma once

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "howdah/os/files/fd.h"

namespace howdah::hadoop::hdfs {

// The cluster's settings for connections to DataNodes.
struct TransferOptions {
  // dfs.client.use.datanode.hostname: connect by host name instead of the address that the NameNode has recorded
  bool use_hostname = false;
  Duration connect = std::chrono::seconds(20);
  Duration silence = std::chrono::seconds(60);    // time-out (dfs.client.socket-timeout); 5 s more per pipeline node
  Duration heartbeat = std::chrono::seconds(30);  // interval of heartbeats in a pipeline without data
  // The lease is renewed at this interval. After 60 s without renewal, the NameNode lets other clients take over the
  // file.
  Duration lease = std::chrono::seconds(30);
  // The reason why data transfer is not supported with this cluster; empty if it is supported.
  std::string unsupported;
};

// Formats "dn1.example.com (10.0.0.7:9866)".
std::string NameOf(const ::hadoop::hdfs::DatanodeInfoProto& node);

// Not thread-safe. Does not support SASL (dfs.data.transfer.protection, dfs.encrypt.data.transfer). A SASL handshake
// would have to be in Open, between connecting and the first op: there the node, the block token and the options are
// known. Encryption would have to be in SendSome and Take, because all bytes pass through them.
class DataConnection {
 public:
  static Result<DataConnection> Open(const ::hadoop::hdfs::DatanodeInfoProto& node, const TransferOptions& options);

  // Sends all bytes. Returns an error if nothing could be sent for `limit`.
  Status Send(std::string_view bytes, Duration limit);
  // Sends as many bytes of the pieces as possible without blocking, and returns their number.
  Result<size_t> SendSome(const std::vector<std::string_view>& pieces);

  // Receives exactly `size` bytes.
  Status Receive(char* out, size_t size, Duration limit);
  // Receives a message that is preceded by its length.
  Status ReceiveDelimited(google::protobuf::MessageLite& message, Duration limit);

  // Receives available bytes into the buffer without blocking, and returns their number. Returns an error if the peer
  // has closed the connection.
  Result<size_t> Fill();
  // The received bytes that are not yet consumed. Drop(n) consumes the first n bytes.
  std::string_view buffered() const { return std::string_view(buffer_).substr(begin_, end_ - begin_); }
  void Drop(size_t count) { begin_ += count; }

  int fd() const { return fd_.get(); }

 private:
  Result<size_t> Take(char* out, size_t size);
  DataConnection(os::files::Fd fd, std::string peer) : fd_(std::move(fd)), peer_(std::move(peer)) {}

  os::files::Fd fd_;
  std::string peer_;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace howdah::hadoop::hdfs
