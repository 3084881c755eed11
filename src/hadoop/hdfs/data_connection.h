// A connection to a DataNode: the one place through which data goes.
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

// What connections to DataNodes need to know of the cluster.
struct TransferOptions {
  bool use_hostname = false;  // dfs.client.use.datanode.hostname: names instead of the addresses the NameNode knows
  Duration connect = std::chrono::seconds(20);
  Duration silence = std::chrono::seconds(60);    // dfs.client.socket-timeout; every hop of a pipeline adds 5 s
  Duration heartbeat = std::chrono::seconds(30);  // a pipeline without data is told that its client lives
  Duration lease = std::chrono::seconds(30);      // the NameNode lets others take a file over after 60 s
  std::string unsupported;                        // why data cannot be moved here at all; empty: it can
};

// "dn1.example.com (10.0.0.7:9866)"
std::string NameOf(const ::hadoop::hdfs::DatanodeInfoProto& node);

// A SASL handshake (dfs.data.transfer.protection, dfs.encrypt.data.transfer) belongs into Open, between connecting and
// the first op, where node, block token and options are known; its wrapping into SendSome and Take, through which all
// bytes go. One thread.
class DataConnection {
 public:
  static Result<DataConnection> Open(const ::hadoop::hdfs::DatanodeInfoProto& node, const TransferOptions& options);

  // All of it, or an error once nothing could be sent for `limit`.
  Status Send(std::string_view bytes, Duration limit);
  // As much as goes without blocking; pieces follow each other. The number of bytes taken.
  Result<size_t> SendSome(const std::vector<std::string_view>& pieces);

  // Exactly `size` bytes to `out`.
  Status Receive(char* out, size_t size, Duration limit);
  // The message behind its length.
  Status ReceiveDelimited(google::protobuf::MessageLite& message, Duration limit);

  // Takes what is there into the buffer without blocking: how many bytes. An error: the other side has closed.
  Result<size_t> Fill();
  // What has been taken and not been used. Drop(n) uses the first n bytes.
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
