// Sends a writer's packets to the DataNodes block by block, and recovers from failures.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "data_connection.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "name_node.h"
#include "packet.h"
#include "pipeline.h"

namespace howdah::hadoop::hdfs {

// Has its own thread, for two reasons. An open file must be kept alive (heartbeats to its DataNodes, its lease at the
// NameNode) while its writer is idle. Reading from disk and checksumming continue while the network is busy. The
// streamer holds at most kWindow packets that are not sent or not acknowledged by all DataNodes.
//
// When a DataNode fails, the block continues with the remaining ones, as in org.apache.hadoop.hdfs.DataStreamer. The
// NameNode assigns a new generation stamp, so that the failed node's replica is stale, and unacknowledged packets are
// sent again. The failed DataNode is not replaced (dfs.client.block.write.replace-datanode-on-failure); the NameNode
// creates the missing replica later. When no DataNode is left, the stream fails permanently, and the caller may write
// the file again. If opening a block fails, before its first packet is sent, other DataNodes are requested.
class Streamer {
 public:
  static constexpr size_t kWindow = 80;

  Streamer(std::shared_ptr<NameNode> name_node, OpenFile file, TransferOptions options);
  // Leaves the block and the file as they are. Blocks for at most one step of the stream.
  ~Streamer();
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  // Push blocks until there is room, AwaitConfirmed until the packet is acknowledged. Both return an error if the
  // stream has failed.
  Status Push(Packet packet);
  Status AwaitConfirmed(int64_t sequence);
  // The last completed block with its length. Call after the block's last packet was acknowledged.
  std::optional<NameNode::Block> last_block();

 private:
  using Time = Pipeline::Time;

  void Run();
  Status Step();
  void TakePackets();
  Status OpenBlock();
  Status Exchange(Time now);
  Status Wait(Time now);
  Status Confirm(int64_t sequence);
  Status Recover(BadNode bad);
  Status TryRecovery(BadNode& bad);
  void EndBlock();
  void Fail(const Error& error);
  Status RenewLease(Time now);

  const std::shared_ptr<NameNode> name_node_;
  const OpenFile file_;
  const TransferOptions options_;
  os::files::Fd wake_;

  // Used only by the thread.
  std::deque<Packet> packets_;  // packets being sent, or sent and not acknowledged
  // The first packet that is not sent completely, and the number of its bytes that are sent.
  size_t next_ = 0, sent_ = 0;
  std::optional<Pipeline> pipeline_;
  NameNode::LocatedBlock block_;  // the current block
  NameNode::DataNodes excluded_;  // DataNodes that failed while a block was opened
  int64_t confirmed_bytes_ = 0;   // acknowledged bytes of the current block
  int64_t confirmed_ = -1;        // sequence number of the last acknowledged packet
  int recoveries_ = 0;            // number since the last acknowledgement
  Time lease_at_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> queue_;  // packets pushed and not yet moved to packets_
  size_t held_ = 0;           // number of packets in queue_ and packets_
  int64_t known_confirmed_ = -1;
  std::optional<NameNode::Block> last_block_;
  std::optional<Error> error_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace howdah::hadoop::hdfs
