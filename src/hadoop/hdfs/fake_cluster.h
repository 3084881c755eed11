// A NameNode and DataNodes for tests, with configurable faults.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "howdah/base/crc.h"
#include "howdah/os/files/fd.h"
#include "name_node.h"
#include "packet.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {

namespace pb = ::hadoop::hdfs;

// The state that all fake nodes share: the recorded events, and the blocks. There is one copy of each block; in a real
// cluster each DataNode of the pipeline has a replica.
struct SharedState {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<uint64_t, std::string> blocks;
  std::vector<std::string> events;  // "dn1 write CREATE", "add", "complete 700", ...
  int heartbeats = 0;

  void Note(const std::string& event) {
    const std::lock_guard lock(mutex);
    events.push_back(event);
    changed.notify_all();
  }
  int Count(const std::string& beginning) {
    const std::lock_guard lock(mutex);
    int count = 0;
    for (const std::string& event : events) count += event.starts_with(beginning) ? 1 : 0;
    return count;
  }
  // Waits for at most 60 s until the condition holds. Returns whether it holds.
  bool Eventually(const std::function<bool()>& so) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(60), so);
  }
};

// The faults that a DataNode simulates.
struct Faults {
  int packets = 1 << 30;        // closes the connection once, after this many packets
  int reports_failure_of = -1;  // reports once that the pipeline's node with this index has failed, instead of closing
  bool refuses = false;         // refuses every op
  bool corrupts = false;        // corrupts the data that it sends, from byte 4096 of each block on
  bool dies_at_end = false;     // closes the connection at the last packet of a block
  bool closes = false;          // closes the connection after each block that was read
};

class FakeDataNode {
 public:
  FakeDataNode(SharedState& shared, std::string name) : shared_(shared), name_(std::move(name)) {
    listener_ = os::files::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    if (::listen(listener_.get(), 16) != 0) std::abort();
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Accept(); });
  }
  ~FakeDataNode() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    const std::lock_guard lock(mutex_);
    for (auto& connection : connections_) ::shutdown(connection.get(), SHUT_RDWR);
    for (auto& thread : threads_) thread.join();
  }

  pb::DatanodeInfoProto info() const {
    pb::DatanodeInfoProto node;
    node.mutable_id()->set_ipaddr("127.0.0.1");
    node.mutable_id()->set_hostname(name_);
    node.mutable_id()->set_datanodeuuid(name_);
    node.mutable_id()->set_xferport(port_);
    node.mutable_id()->set_infoport(0);
    node.mutable_id()->set_ipcport(0);
    return node;
  }
  Faults faults;  // must be set before the first connection

 private:
  void Accept() {
    for (;;) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      connections_.emplace_back(fd);
      shared_.Note("connection of " + name_);
      threads_.emplace_back([this, fd] {
        while (Serve(fd)) {
        }
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  }

  static bool ReadExactly(int fd, char* out, size_t size) {
    while (size > 0) {
      const ssize_t got = ::recv(fd, out, size, 0);
      if (got <= 0) return false;
      out += got;
      size -= static_cast<size_t>(got);
    }
    return true;
  }
  static bool ReadMessage(int fd, google::protobuf::MessageLite& message) {
    std::string head;
    for (;;) {
      head += '\0';
      if (!ReadExactly(fd, &head.back(), 1)) return false;
      const auto extent = DelimitedExtent(head);
      if (!extent) return false;
      if (!*extent) continue;
      std::string bytes((*extent)->size, '\0');
      return ReadExactly(fd, bytes.data(), bytes.size()) && message.ParseFromString(bytes);
    }
  }
  static bool Send(int fd, const std::string& bytes) {
    return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }

  // Returns whether a further request may follow.
  bool Serve(int fd) {
    char head[3];
    if (!ReadExactly(fd, head, 3) || head[0] != 0 || head[1] != 28) return false;
    if (static_cast<Op>(head[2]) == Op::kWriteBlock) Write(fd);
    return static_cast<Op>(head[2]) == Op::kReadBlock && Read(fd) && !faults.closes;
  }

  bool Answer(int fd, pb::BlockOpResponseProto response) {
    response.set_status(faults.refuses ? pb::ERROR : pb::SUCCESS);
    if (faults.refuses) response.set_message("it does not like it");
    return Send(fd, EncodeDelimited(response)) && !faults.refuses;
  }

  void Write(int fd) {
    pb::OpWriteBlockProto op;
    if (!ReadMessage(fd, op)) return;
    const uint64_t id = op.header().baseheader().block().blockid();
    shared_.Note(name_ + " " + pb::OpWriteBlockProto::BlockConstructionStage_Name(op.stage()) + " gs" +
                 std::to_string(op.latestgenerationstamp()));
    if (op.stage() == pb::OpWriteBlockProto::PIPELINE_SETUP_STREAMING_RECOVERY) {
      const std::lock_guard lock(shared_.mutex);
      std::string& block = shared_.blocks[id];
      // Like a real DataNode, reject a block whose length is outside the range in the request.
      if (block.size() < op.minbytesrcvd() || block.size() > op.maxbytesrcvd()) return;
      block.resize(op.minbytesrcvd());
    }
    if (!Answer(fd, {})) return;
    if (op.stage() == pb::OpWriteBlockProto::PIPELINE_CLOSE_RECOVERY) return;
    while (WritePacket(fd, id, static_cast<int>(op.pipelinesize()))) {
    }
  }

  bool WritePacket(int fd, uint64_t id, int nodes) {
    std::string head(PacketPrefix::kSize, '\0');
    if (!ReadExactly(fd, head.data(), head.size())) return false;
    const auto prefix = ParsePacketPrefix(head);
    std::string bytes(prefix->header + prefix->body, '\0');
    if (!ReadExactly(fd, bytes.data(), bytes.size())) return false;
    const auto header = ParsePacketHeader(std::string_view(bytes).substr(0, prefix->header), *prefix);
    pb::PipelineAckProto ack;
    ack.set_seqno(header->sequence);
    for (int i = 0; i < nodes; ++i) ack.add_reply(pb::SUCCESS);
    if (header->sequence == kHeartbeat) {
      const std::lock_guard lock(shared_.mutex);
      ++shared_.heartbeats;
      shared_.changed.notify_all();
      return Send(fd, EncodeDelimited(ack));
    }
    {
      const std::lock_guard lock(shared_.mutex);
      std::string& block = shared_.blocks[id];
      block.resize(static_cast<size_t>(header->offset));
      block += bytes.substr(bytes.size() - header->data);
    }
    if (faults.packets-- == 0) {
      if (faults.reports_failure_of < 0) return false;
      ack.set_reply(faults.reports_failure_of, pb::ERROR);
    }
    if (header->last && faults.dies_at_end) return faults.dies_at_end = false;
    return Send(fd, EncodeDelimited(ack)) && !header->last;
  }

  bool Read(int fd) {
    pb::OpReadBlockProto op;
    if (!ReadMessage(fd, op)) return false;
    shared_.Note(name_ + " read " + std::to_string(op.len()));
    pb::BlockOpResponseProto response;
    const uint64_t begin = op.offset() / kChunk * kChunk;
    response.mutable_readopchecksuminfo()->set_chunkoffset(begin);
    response.mutable_readopchecksuminfo()->mutable_checksum()->set_type(pb::CHECKSUM_CRC32C);
    response.mutable_readopchecksuminfo()->mutable_checksum()->set_bytesperchecksum(kChunk);
    if (!Answer(fd, response)) return false;
    std::string data;
    {
      const std::lock_guard lock(shared_.mutex);
      data = shared_.blocks[op.header().baseheader().block().blockid()].substr(begin, op.offset() + op.len() - begin);
    }
    constexpr size_t kPiece = 8 * kChunk;
    int64_t sequence = 0;
    for (size_t at = 0; at < data.size(); at += kPiece) {
      std::string piece = data.substr(at, kPiece);
      const size_t sums = (piece.size() + kChunk - 1) / kChunk * 4;
      std::string packet(kPacketHead + sums, '\0');
      EncodePacketHead({static_cast<int64_t>(begin + at), sequence++, false, piece.size()}, sums,
                       packet.data() + kPacketHead);
      WriteChecksums(Crc::kCrc32c, piece, kChunk, packet.data() + kPacketHead);
      if (faults.corrupts && begin + at >= kPiece) piece.back() ^= 1;
      if (!Send(fd, packet + piece)) return false;
    }
    if (!Send(fd, EncodeEmptyPacket(static_cast<int64_t>(begin + data.size()), sequence, true))) return false;
    pb::ClientReadStatusProto status;
    if (!ReadMessage(fd, status)) return false;
    shared_.Note(name_ + " received " + pb::Status_Name(status.status()));
    return true;
  }

  SharedState& shared_;
  std::string name_;
  os::files::Fd listener_;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<os::files::Fd> connections_;
  std::vector<std::thread> threads_;
  std::thread thread_;
};

// Allocates blocks on the first `replicas` DataNodes that are not excluded.
class FakeNameNode : public NameNode {
 public:
  FakeNameNode(SharedState& shared, std::vector<std::unique_ptr<FakeDataNode>>& nodes, int replicas)
      : shared_(shared), nodes_(nodes), replicas_(replicas) {}

  LocatedBlock Located(uint64_t id, const DataNodes& excluded = {}) const {
    LocatedBlock block;
    block.mutable_b()->set_poolid("BP-1");
    block.mutable_b()->set_blockid(id);
    block.mutable_b()->set_generationstamp(1000);
    block.set_offset(0);
    block.set_corrupt(false);
    for (const auto& node : nodes_) {
      bool out = block.locs_size() == replicas_;
      for (const auto& bad : excluded) out = out || bad.id().datanodeuuid() == node->info().id().datanodeuuid();
      if (out) continue;
      *block.add_locs() = node->info();
      block.add_storageids("s-" + node->info().id().hostname());
      block.add_storagetypes(pb::DISK);
    }
    return block;
  }

  Result<LocatedBlock> AddBlock(const OpenFile&, const std::optional<Block>& previous,
                                const DataNodes& excluded) override {
    if (previous) lengths_.push_back(previous->numbytes());
    shared_.Note("add");
    LocatedBlock block = Located(next_, excluded);
    if (block.locs_size() == 0) return Failed("there are no DataNodes");
    order_.push_back(next_++);
    return block;
  }
  Status AbandonBlock(const OpenFile&, const Block&) override {
    shared_.Note("abandon");
    order_.pop_back();
    return {};
  }
  Result<LocatedBlock> UpdateBlockForPipeline(const OpenFile&, const Block& block) override {
    LocatedBlock updated;
    *updated.mutable_b() = block;
    updated.mutable_b()->set_generationstamp(++generation_);
    return updated;
  }
  Status UpdatePipeline(const OpenFile&, const Block& before, const Block& after, const LocatedBlock& now) override {
    std::string nodes;
    for (int i = 0; i < now.locs_size(); ++i) nodes += " " + now.locs(i).id().hostname() + "/" + now.storageids(i);
    shared_.Note("pipeline gs" + std::to_string(before.generationstamp()) + " gs" +
                 std::to_string(after.generationstamp()) + nodes);
    return {};
  }
  Status Complete(const OpenFile&, const std::optional<Block>& last) override {
    if (last) lengths_.push_back(last->numbytes());
    shared_.Note("complete");
    return {};
  }
  Status PersistBlocks(const OpenFile&) override { return shared_.Note("persist"), Status(); }
  Status RenewLease(const std::string&) override { return shared_.Note("lease"), Status(); }
  Status Delete(const std::string&, bool) override { return shared_.Note("delete"), Status(); }
  Result<uint64_t> FileId(const std::string&) override { return file_id; }
  Result<pb::LocatedBlocksProto> BlockLocations(const std::string&) override {
    shared_.Note("locate");
    pb::LocatedBlocksProto blocks;
    uint64_t length = 0;
    for (const uint64_t id : order_) {
      LocatedBlock block = Located(id);
      const std::lock_guard lock(shared_.mutex);
      block.mutable_b()->set_numbytes(shared_.blocks[id].size());
      if (length_of_second && blocks.blocks_size() == 1) block.mutable_b()->set_numbytes(*length_of_second);
      length += shared_.blocks[id].size();
      *blocks.add_blocks() = block;
    }
    blocks.set_filelength(length);
    blocks.set_underconstruction(false);
    blocks.set_islastblockcomplete(true);
    return blocks;
  }
  Result<int64_t> VisibleLength(const LocatedBlock&) override { return Failed("nothing is being written"); }
  Result<std::optional<pb::DataEncryptionKeyProto>> DataEncryptionKey() override {
    return std::optional<pb::DataEncryptionKeyProto>();
  }

  // The content of the file: its blocks in order.
  std::string Content() {
    const std::lock_guard lock(shared_.mutex);
    std::string content;
    for (const uint64_t id : order_) content += shared_.blocks[id];
    return content;
  }
  const std::vector<uint64_t>& lengths() const { return lengths_; }  // block lengths as reported by the writer
  std::optional<uint64_t> length_of_second;  // a wrong length that is reported for the second block
  uint64_t file_id = 7;                      // of the file that has the path now

 private:
  SharedState& shared_;
  std::vector<std::unique_ptr<FakeDataNode>>& nodes_;
  int replicas_;
  uint64_t next_ = 1, generation_ = 1000;
  std::vector<uint64_t> order_, lengths_;
};

}  // namespace howdah::hadoop::hdfs
