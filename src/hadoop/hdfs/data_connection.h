// A connection to a DataNode. All block data passes through it.
#pragma once

#include <google/protobuf/message_lite.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "howdah/os/files/fd.h"
#include "transfer_codec.h"

namespace howdah::hadoop::hdfs {

// Which connections to DataNodes need a handshake with the block's token.
struct TransferSecurity {
  bool kerberos = false;  // hadoop.security.authentication
  // dfs.data.transfer.protection: a mask of principals::Protection; 0 if the key is not set.
  int accepted = 0;
  std::string accepted_from;  // that key and its source, for messages
  // The reason why data transfer is not supported with this configuration; empty if it is supported.
  std::string unsupported;
};

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
  TransferSecurity security;
};

// Formats "dn1.example.com (10.0.0.7:9866)".
std::string NameOf(const ::hadoop::hdfs::DatanodeInfoProto& node);

// Not thread-safe. DataNodeConnector opens it.
class DataConnection {
 public:
  static Result<DataConnection> Open(const ::hadoop::hdfs::DatanodeInfoProto& node, const TransferOptions& options);

  // Protects all bytes that are sent and received from now on.
  void Protect(std::unique_ptr<TransferCodec> codec) { codec_ = std::move(codec); }
  // Completes the message of the error that the DataNode has closed the connection: the probable reason.
  void ExplainClose(std::string reason) { close_reason_ = std::move(reason); }

  // Sends all bytes. Returns an error if nothing could be sent for `limit`.
  Status Send(std::string_view bytes, Duration limit);
  // Takes as many bytes of the pieces as possible without blocking, and returns their number. On a protected
  // connection, some of them may wait in has_unsent(); a further call, also without pieces, sends them.
  Result<size_t> SendSome(const std::vector<std::string_view>& pieces);
  // Whether bytes that were taken wait until the socket is writable.
  bool has_unsent() const { return !unsent_.empty(); }

  // Receives exactly `size` bytes.
  Status Receive(char* out, size_t size, Duration limit);
  // Receives a message that is preceded by its length.
  Status ReceiveDelimited(google::protobuf::MessageLite& message, Duration limit);

  // Receives available bytes into the buffer without blocking, and returns their number on the wire. Returns an error
  // if the peer has closed the connection.
  Result<size_t> Fill();
  // The received bytes that are not yet consumed. Drop(n) consumes the first n bytes.
  std::string_view buffered() const { return std::string_view(buffer_).substr(begin_, end_ - begin_); }
  void Drop(size_t count) { begin_ += count; }

  int fd() const { return fd_.get(); }
  const std::string& peer() const { return peer_; }
  // Whether the peer has neither sent anything nor closed the connection.
  bool idle() const;

 private:
  Result<size_t> Take(char* out, size_t size);
  // Receives into `out`, and the bytes behind them into the buffer, which must be empty. Returns how many are in `out`.
  Result<size_t> TakeDirectly(char* out, size_t size);
  Result<size_t> Taken(ssize_t got) const;
  Result<size_t> SendPlain(const std::vector<std::string_view>& pieces);
  Result<size_t> SendProtected(const std::vector<std::string_view>& pieces);
  Status SendUnsent();
  Result<size_t> FillProtected();
  DataConnection(os::files::Fd fd, std::string peer) : fd_(std::move(fd)), peer_(std::move(peer)) {}

  os::files::Fd fd_;
  std::string peer_, close_reason_;
  std::unique_ptr<TransferCodec> codec_;  // null: the bytes are not protected
  std::string unsent_;                    // protected bytes that are not sent yet
  std::string wire_;                      // space for bytes that are received and not yet decoded
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace howdah::hadoop::hdfs
