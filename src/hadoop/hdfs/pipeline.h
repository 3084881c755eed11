// Sends one block's packets through its pipeline of DataNodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "data_connection.h"
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
  // For recovery: the block's new generation stamp, the number of bytes that every DataNode has acknowledged, and the
  // maximum number of bytes that any of them may have.
  uint64_t generation = 0;
  int64_t least = 0, most = 0;
};

// Not thread-safe. Only Open blocks.
class Pipeline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Connects to the first DataNode, which connects to the next, and so on. On an error, `bad` is the DataNode
  // responsible.
  static Result<Pipeline> Open(const PipelineRequest& request, const TransferOptions& options, BadNode& bad);

  // Sends as many bytes of the packets as possible, from packet `next` on. Its first `sent` bytes were sent before.
  // Updates `next` and `sent`. A packet that ends the block is held back until all preceding packets are acknowledged.
  Status Send(const std::deque<Packet>& packets, size_t& next, size_t& sent, Time now);
  // Sends a heartbeat. Call only when no packet is partially sent.
  Status Heartbeat(Time now);
  // Receives acknowledgements. `confirmed` becomes the newest acknowledged sequence number, also if an error is
  // returned; `bad` is then the DataNode responsible. (A DataNode closes the connection after it has acknowledged the
  // end of the block.)
  Status TakeConfirmations(int64_t& confirmed, Time now, BadNode& bad);

  int fd() const { return connection_.fd(); }
  Time sent_at() const { return sent_at_; }
  // When to give up if nothing is received. Only meaningful while an acknowledgement is expected.
  Time silent_at() const { return heard_at_ + silence_; }
  // Restarts the silence timer, because acknowledgements are expected from now on.
  void Expect(Time now) { heard_at_ = now; }

 private:
  Pipeline(DataConnection connection, Duration silence)
      : connection_(std::move(connection)), silence_(silence), sent_at_(std::chrono::steady_clock::now()) {
    heard_at_ = sent_at_;
  }

  DataConnection connection_;
  Duration silence_;
  Time sent_at_, heard_at_;
  std::string heartbeat_;  // the unsent rest of the last heartbeat
};

}  // namespace howdah::hadoop::hdfs
