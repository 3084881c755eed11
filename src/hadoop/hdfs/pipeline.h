// The way of one block's packets through its DataNodes.
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
  ::hadoop::hdfs::LocatedBlockProto block;  // locs in the order of the pipeline
  std::string client;
  Stage::BlockConstructionStage stage = Stage::PIPELINE_SETUP_CREATE;
  // Of a recovery: the generation stamp that the block gets, the bytes every DataNode has confirmed, and those it may
  // have.
  uint64_t generation = 0;
  int64_t least = 0, most = 0;
};

// One thread, which never blocks in here but in Open.
class Pipeline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Connects to the first DataNode, which connects to the next, and so on. bad: which of them is to blame for an error.
  static Result<Pipeline> Open(const PipelineRequest& request, const TransferOptions& options, BadNode& bad);

  // Sends what goes of the packets from `next` on, of which `sent` bytes of the first have gone already; both are moved
  // on. A packet that ends the block waits until it is the first of all, so that everything before it is confirmed.
  Status Send(const std::deque<Packet>& packets, size_t& next, size_t& sent, Time now);
  // Tells the DataNodes that the client lives. Only between packets.
  Status Heartbeat(Time now);
  // Takes confirmations: `confirmed` becomes the newest sequence number, also if there is an error: `bad` is to blame.
  // (A DataNode closes the connection as soon as it has confirmed the block's end.)
  Status TakeConfirmations(int64_t& confirmed, Time now, BadNode& bad);

  int fd() const { return connection_.fd(); }
  Time sent_at() const { return sent_at_; }
  // When it is to be given up if nothing comes; only if something is expected.
  Time silent_at() const { return heard_at_ + silence_; }
  // What has been sent since the last sign of life is expected to be answered from now on.
  void Expect(Time now) { heard_at_ = now; }

 private:
  Pipeline(DataConnection connection, Duration silence)
      : connection_(std::move(connection)), silence_(silence), sent_at_(std::chrono::steady_clock::now()) {
    heard_at_ = sent_at_;
  }

  DataConnection connection_;
  Duration silence_;
  Time sent_at_, heard_at_;
  std::string heartbeat_;  // the rest of one that did not go at once
};

}  // namespace howdah::hadoop::hdfs
