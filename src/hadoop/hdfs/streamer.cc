#include "streamer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace howdah::hadoop::hdfs {
namespace {

constexpr int kMaxRecoveries = 5;    // successive recoveries without an acknowledgement, as in Java
constexpr int kMaxOpenAttempts = 4;  // one attempt, then dfs.client.block.write.retries (3) retries

}  // namespace

Streamer::Streamer(std::shared_ptr<NameNode> name_node, std::shared_ptr<DataNodeConnector> connector, OpenFile file)
    : name_node_(std::move(name_node)),
      connector_(std::move(connector)),
      file_(std::move(file)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      lease_at_(std::chrono::steady_clock::now() + connector_->options().lease),
      thread_([this] { Run(); }) {}

Streamer::~Streamer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

Status Streamer::Push(Packet packet) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return held_ < kWindow || error_; });
  if (error_) return *error_;
  ++held_;
  queue_.push_back(std::move(packet));
  if (queue_.size() == 1) ::eventfd_write(wake_.get(), 1);
  return {};
}

Status Streamer::AwaitAck(int64_t sequence) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, sequence] { return known_acked_ >= sequence || error_; });
  if (known_acked_ >= sequence) return {};
  return *error_;
}

std::optional<NameNode::Block> Streamer::last_block() {
  const std::lock_guard lock(mutex_);
  return last_block_;
}

void Streamer::Run() {
  if (!wake_.valid()) return Fail(os::files::SystemError("making an event descriptor"));
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (const Status done = Step(); !done.ok()) return Fail(done.error());
  }
}

void Streamer::Fail(const Error& error) {
  pipeline_.reset();
  const std::lock_guard lock(mutex_);
  error_ = error;
  changed_.notify_all();
}

Status Streamer::Step() {
  const Time now = std::chrono::steady_clock::now();
  HOWDAH_TRY_STATUS(RenewLease(now));
  TakePackets();
  if (!pipeline_ && !packets_.empty()) {
    HOWDAH_TRY_STATUS(OpenBlock());
  }
  HOWDAH_TRY_STATUS(Exchange(now));
  return Wait(now);
}

// Repeats a failed renewal soon, because the NameNode may be failing over. Returns an error only if the NameNode
// rejects the renewal.
Status Streamer::RenewLease(Time now) {
  if (now < lease_at_) return {};
  const Status renewed = name_node_->RenewLease(file_.client);
  lease_at_ = now + (renewed.ok() ? connector_->options().lease : connector_->options().lease / 10);
  if (!renewed.ok() && renewed.error().code == ErrorCode::kFailed) return renewed.error().While("renewing the lease");
  return {};
}

void Streamer::TakePackets() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return;
  const bool ends = !packets_.empty() && packets_.back().last;  // later packets belong to the next block
  while (!ends && !queue_.empty()) {
    packets_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (packets_.back().last) break;
  }
}

Status Streamer::OpenBlock() {
  Error error = Failed("no DataNode could be reached");
  for (int attempt = 0; attempt < kMaxOpenAttempts; ++attempt) {
    auto block = name_node_->AddBlock(file_, last_block(), excluded_);
    if (!block && attempt == 0) return block.error();
    if (!block)
      return Error{block.error().code, error.message + "; " + block.error().message, block.error().remote_class};
    BadNode bad;
    auto pipeline = Pipeline::Open(*connector_, {*block, file_.client}, bad);
    if (pipeline) {
      block_ = std::move(*block);
      pipeline_ = std::move(*pipeline);
      acked_bytes_ = 0;
      recoveries_ = 0;
      return {};
    }
    error = pipeline.error();
    if (error.code == ErrorCode::kUnavailable && !connector_->options().security.unsupported.empty()) return error;
    excluded_.push_back(block->locs(static_cast<int>(bad.index)));
    HOWDAH_TRY_STATUS(name_node_->AbandonBlock(file_, block->b()));
  }
  return error.While("no block could be opened");
}

Status Streamer::Exchange(Time now) {
  if (!pipeline_) return {};
  BadNode bad;
  int64_t acked = acked_;
  const Status taken = pipeline_->ReceiveAcks(acked, now, bad);
  if (const Status done = OnAcked(acked); !done.ok() || !pipeline_) return done;
  if (!taken.ok()) return Recover(bad);
  if (next_ == 0 && sent_ == 0) pipeline_->Expect(now);  // nothing is in flight: restart the silence timer
  const bool waiting = next_ > 0 || sent_ > 0;
  if (waiting && now >= pipeline_->times_out_at()) return Recover({0, "no answer from the DataNodes"});
  Status sent = pipeline_->Send(packets_, next_, sent_, now);
  if (sent.ok() && sent_ == 0 && now >= pipeline_->sent_at() + connector_->options().heartbeat)
    sent = pipeline_->Heartbeat(now);
  return sent.ok() ? sent : Recover({0, sent.error().message});
}

Status Streamer::OnAcked(int64_t sequence) {
  if (sequence == acked_) return {};
  recoveries_ = 0;
  size_t count = 0;
  bool ended = false;
  for (; acked_ < sequence; ++acked_, ++count) {
    if (packets_.empty() || next_ == 0) return Failed("a DataNode acknowledged a packet that was never sent");
    acked_bytes_ = std::max(acked_bytes_, packets_.front().end);
    ended = packets_.front().last;
    packets_.pop_front();
    --next_;
  }
  if (ended) EndBlock();
  const std::lock_guard lock(mutex_);
  held_ -= count;
  known_acked_ = acked_;
  changed_.notify_all();
  return {};
}

void Streamer::EndBlock() {
  pipeline_.reset();
  NameNode::Block block = block_.b();
  block.set_numbytes(static_cast<uint64_t>(acked_bytes_));
  const std::lock_guard lock(mutex_);
  last_block_ = std::move(block);
}

Status Streamer::Recover(BadNode bad) {
  pipeline_.reset();
  for (; recoveries_ < kMaxRecoveries; ++recoveries_) {
    const int index = static_cast<int>(bad.index);
    if (index >= block_.locs_size()) return Failed("a failure was reported for a DataNode that is not in the pipeline");
    const std::string failed = NameOf(block_.locs(index)) + ": " + bad.why;
    excluded_.push_back(block_.locs(index));
    block_.mutable_locs()->DeleteSubrange(index, 1);
    if (index < block_.storageids_size()) block_.mutable_storageids()->DeleteSubrange(index, 1);
    if (index < block_.storagetypes_size()) block_.mutable_storagetypes()->erase(block_.storagetypes().begin() + index);
    if (block_.locs_size() == 0) {
      return Failed("every DataNode of a block has failed, the last was " + failed + "; write the file again");
    }
    if (const Status done = TryRecovery(bad); done.ok() || pipeline_ || bad.why.empty()) return done;
  }
  return Failed("writing a block still failed after " + std::to_string(kMaxRecoveries) +
                " recoveries; write the file again");
}

// On an error, `bad` is the DataNode that caused it. `bad.why` is empty if no DataNode caused it.
Status Streamer::TryRecovery(BadNode& bad) {
  bad = {};
  const bool closing = !packets_.empty() && packets_.front().last;
  NameNode::Block before = block_.b();
  before.set_numbytes(static_cast<uint64_t>(acked_bytes_));
  const auto renewed = name_node_->UpdateBlockForPipeline(file_, before);
  if (!renewed) return renewed.error().While("continuing with fewer DataNodes");
  *block_.mutable_b() = before;
  if (renewed->has_blocktoken()) *block_.mutable_blocktoken() = renewed->blocktoken();
  int64_t most = acked_bytes_;
  for (size_t i = 0; i < packets_.size() && i <= next_; ++i) most = std::max(most, packets_[i].end);
  const uint64_t generation = renewed->b().generationstamp();
  HOWDAH_TRY(auto pipeline,
             Pipeline::Open(*connector_,
                            {block_, file_.client,
                             closing ? Stage::PIPELINE_CLOSE_RECOVERY : Stage::PIPELINE_SETUP_STREAMING_RECOVERY,
                             generation, acked_bytes_, most},
                            bad));
  NameNode::Block after = before;
  after.set_generationstamp(generation);
  if (const Status updated = name_node_->UpdatePipeline(file_, before, after, block_); !updated.ok()) {
    return bad = {}, updated.error().While("continuing with fewer DataNodes");
  }
  *block_.mutable_b() = after;
  next_ = sent_ = 0;
  pipeline_ = std::move(pipeline);
  if (!closing) return {};
  // During the recovery the DataNodes have finalised the block, so its last packet counts as acknowledged.
  next_ = 1;
  return OnAcked(packets_.front().sequence);
}

Status Streamer::Wait(Time now) {
  Time until = lease_at_;
  pollfd polled[2] = {{wake_.get(), POLLIN, 0}, {-1, POLLIN, 0}};
  if (pipeline_) {
    polled[1].fd = pipeline_->fd();
    const bool blocked = pipeline_->has_unsent() || (next_ < packets_.size() && !(packets_[next_].last && next_ > 0));
    if (blocked) polled[1].events |= POLLOUT;
    until = std::min(until, pipeline_->sent_at() + connector_->options().heartbeat);
    if (next_ > 0 || sent_ > 0) until = std::min(until, pipeline_->times_out_at());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  {
    const std::lock_guard lock(mutex_);
    const bool ends = !packets_.empty() && packets_.back().last;
    if (!queue_.empty() && !ends) return {};
  }
  if (!pipeline_ && !packets_.empty()) return {};
  if (::poll(polled, 2, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000))) < 0 && errno != EINTR) {
    return os::files::SystemError("waiting for DataNodes");
  }
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.get(), &ignored);
  return {};
}

}  // namespace howdah::hadoop::hdfs
