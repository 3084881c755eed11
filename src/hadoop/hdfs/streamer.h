// Carries a writer's packets to the DataNodes: block by block, over failures.
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

// Has a thread of its own, because a file that is open must be kept alive (heartbeats to its DataNodes, its lease at
// the NameNode) while its writer has nothing to write, and because reading from disk and checksumming then go on while
// the network is busy. At most kWindow packets are held: not sent, or not confirmed by all DataNodes.
//
// When a DataNode fails, the block goes on with those that are left, as org.apache.hadoop.hdfs.DataStreamer does: the
// NameNode gives it a new generation stamp, so that the replica left behind counts as old, and the packets that are not
// confirmed are sent again. No DataNode is taken in its place (dfs.client.block.write.replace-datanode-on-failure): the
// NameNode makes the missing replica later. When none is left the stream has failed for good, and its caller may write
// the file anew; before the first packet of a block has gone, other DataNodes are asked for.
class Streamer {
 public:
  static constexpr size_t kWindow = 80;

  Streamer(std::shared_ptr<NameNode> name_node, OpenFile file, TransferOptions options);
  // Leaves block and file as they are; at most as long as one step of the stream takes.
  ~Streamer();
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  // Both block until there is room, or until the packet is confirmed; an error: the stream has failed.
  Status Push(Packet packet);
  Status AwaitConfirmed(int64_t sequence);
  // The last block that was ended, with its length. Once its last packet is confirmed.
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

  // Of the thread alone.
  std::deque<Packet> packets_;  // being sent, or sent and not confirmed
  size_t next_ = 0, sent_ = 0;  // the first packet that has not gone whole, and how much of it has
  std::optional<Pipeline> pipeline_;
  NameNode::LocatedBlock block_;  // the one that is open
  NameNode::DataNodes excluded_;  // failed while a block was begun
  int64_t confirmed_bytes_ = 0;   // of the open block
  int64_t confirmed_ = -1;        // sequence number
  int recoveries_ = 0;            // since something was confirmed
  Time lease_at_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> queue_;  // pushed, not taken yet
  size_t held_ = 0;           // packets in queue_ and packets_
  int64_t known_confirmed_ = -1;
  std::optional<NameNode::Block> last_block_;
  std::optional<Error> error_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace howdah::hadoop::hdfs
