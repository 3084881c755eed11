// Sends the packets of one block through a pipeline of DataNodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "data_connection.h"
#include "data_node_connector.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/datatransfer.pb.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "packet.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {

using Stage = ::hadoop::hdfs::OpWriteBlockProto;

struct PipelineRequest {
  ::hadoop::hdfs::LocatedBlockProto block;  // `locs` are in pipeline order
  std::string client;
  Stage::BlockConstructionStage stage = Stage::PIPELINE_SETUP_CREATE;
  // Only for recovery: the block's new generation stamp, the number of bytes that every DataNode has acknowledged, and
  // the largest number of bytes that any DataNode may have.
  uint64_t generation = 0;
  int64_t least = 0, most = 0;
};

// Not thread-safe. Open waits for the network; all other functions return immediately.
class Pipeline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Connects to the first DataNode, which connects to the second, and so on. On an error, sets `bad` to the DataNode
  // that caused it.
  static Result<Pipeline> Open(DataNodeConnector& connector, const PipelineRequest& request, BadNode& bad);

  // Sends as many bytes as possible without blocking, from packet `next` on, of which `sent` bytes have been sent
  // before. Updates `next` and `sent`. A packet that ends the block is not sent until all packets before it are
  // acknowledged.
  Status Send(const std::deque<Packet>& packets, size_t& next, size_t& sent, Time now);
  // Sends a heartbeat. Must not be called while a packet is sent only in part.
  Status Heartbeat(Time now);
  // Receives acknowledgements. Sets `acked` to the newest acknowledged sequence number. On an error, sets `bad` to the
  // DataNode that caused it. `acked` is valid even then: a DataNode closes the connection right after it has
  // acknowledged the end of the block, so one call may return both the last acknowledgement and an error.
  Status ReceiveAcks(int64_t& acked, Time now, BadNode& bad);

  int fd() const { return connection_.fd(); }
  // Whether Send must be called once the descriptor is writable, even without further packets.
  bool has_unsent() const { return connection_.has_unsent(); }
  Time sent_at() const { return sent_at_; }
  // The time at which the pipeline counts as failed if nothing is received before. Only meaningful while an
  // acknowledgement is expected.
  Time times_out_at() const { return received_at_ + silence_; }
  // Call this when acknowledgements are expected from now on. Restarts the silence timer.
  void Expect(Time now) { received_at_ = now; }

 private:
  Pipeline(DataConnection connection, Duration silence)
      : connection_(std::move(connection)), silence_(silence), sent_at_(std::chrono::steady_clock::now()) {
    received_at_ = sent_at_;
  }

  DataConnection connection_;
  Duration silence_;
  Time sent_at_, received_at_;
  std::string heartbeat_;  // the part of the last heartbeat that is not sent yet
};

}  // namespace howdah::hadoop::hdfs
