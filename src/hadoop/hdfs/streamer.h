// Sends a writer's packets to the DataNodes, block by block, and recovers from failures.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "data_node_connector.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "name_node.h"
#include "packet.h"
#include "pipeline.h"

namespace howdah::hadoop::hdfs {

// Has its own thread, for two reasons. First, an idle writer must keep its open file alive: it sends heartbeats to the
// DataNodes and renews its lease at the NameNode. Second, the caller can read from disk and compute checksums while
// packets are sent. The streamer holds at most kWindow packets that some DataNode has not acknowledged.
//
// When a DataNode fails, the block continues with the remaining ones, as in org.apache.hadoop.hdfs.DataStreamer. The
// NameNode assigns a new generation stamp, which makes the failed node's replica stale, and unacknowledged packets are
// sent again. No new DataNode joins the pipeline (dfs.client.block.write.replace-datanode-on-failure); the NameNode
// creates the missing replica later. When no DataNode is left, the stream fails permanently, and the caller may write
// the file again. If the pipeline of a new block cannot be opened, the streamer requests a block on other DataNodes.
class Streamer {
 public:
  static constexpr size_t kWindow = 80;

  Streamer(std::shared_ptr<NameNode> name_node, std::shared_ptr<DataNodeConnector> connector, OpenFile file);
  // Does not complete the block or the file. Waits until the thread has finished its present step.
  ~Streamer();
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  // Push waits until there is room for the packet, and AwaitAck until the packet is acknowledged. Both return an
  // error if the stream has failed.
  Status Push(Packet packet);
  Status AwaitAck(int64_t sequence);
  // The last completed block, with its length. Call this after the block's last packet has been acknowledged.
  std::optional<NameNode::Block> last_block();

 private:
  using Time = Pipeline::Time;

  void Run();
  Status Step();
  void TakePackets();
  Status OpenBlock();
  Status Exchange(Time now);
  Status Wait(Time now);
  Status OnAcked(int64_t sequence);
  Status Recover(BadNode bad);
  Status TryRecovery(BadNode& bad);
  void EndBlock();
  void Fail(const Error& error);
  Status RenewLease(Time now);

  const std::shared_ptr<NameNode> name_node_;
  const std::shared_ptr<DataNodeConnector> connector_;
  const OpenFile file_;
  os::files::Fd wake_;

  // The fields below are used by the thread only.
  std::deque<Packet> packets_;  // packets that are to be sent or not yet acknowledged
  // The index of the first packet that is not sent completely, and the number of its bytes that are sent.
  size_t next_ = 0, sent_ = 0;
  std::optional<Pipeline> pipeline_;
  NameNode::LocatedBlock block_;  // the current block
  NameNode::DataNodes excluded_;  // DataNodes that failed while a block was opened
  int64_t acked_bytes_ = 0;       // acknowledged bytes of the current block
  int64_t acked_ = -1;            // sequence number of the last acknowledged packet
  int recoveries_ = 0;            // recoveries since the last acknowledgement
  Time lease_at_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> queue_;  // packets pushed and not yet moved to packets_
  size_t held_ = 0;           // number of packets in queue_ and packets_
  int64_t known_acked_ = -1;
  std::optional<NameNode::Block> last_block_;
  std::optional<Error> error_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace howdah::hadoop::hdfs
