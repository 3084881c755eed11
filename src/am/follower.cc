#include "follower.h"

#include <algorithm>

namespace howdah::am {
namespace {

constexpr int64_t kLoadLimit = int64_t{1} << 20;
constexpr int64_t kPiece = 64 << 10;

}  // namespace

Follower::Follower(Context& context, rpc::ConnectionId id, const wire::FollowRequest& request,
                   const std::vector<std::string>& roles)
    : context_(context),
      id_(id),
      wants_logs_(request.has_logs()),
      sizes_only_(request.logs().sizes_only()),
      now_only_(request.now()),
      wanted_(request.logs()),
      journal_sent_(std::max<int64_t>(request.journal_offset(), 0)),
      journal_target_(context.journal().size()),
      progress_(context.Now()) {
  const auto role_of = [&](const std::string& name) {
    return static_cast<int>(std::find(roles.begin(), roles.end(), name) - roles.begin());
  };
  if (wanted_.has_role()) wanted_role_ = role_of(wanted_.role());
  for (const wire::LogPosition& have : wanted_.have()) {
    const wire::LogSource& source = have.source();
    have_[{{role_of(source.role()), source.index()}, source.attempt(), source.local_rank(), source.is_stderr()}] =
        std::max<int64_t>(have.offset(), 0);
  }
  wanted_.clear_have();
  for (const auto& [key, output] : context_.outputs().all()) OnOutput(key, output);
}

bool Follower::WantsTask(TaskId task) const {
  if (!wants_logs_ || (wanted_role_ >= 0 && task.role != wanted_role_)) return false;
  return !wanted_.has_index() || wanted_.index() == task.index;
}

bool Follower::Wants(const OutputKey& key) const {
  if (!WantsTask(key.task)) return false;
  if (wanted_.has_attempt() && wanted_.attempt() != key.attempt) return false;
  if (wanted_.has_local_rank() && wanted_.local_rank() != key.local_rank) return false;
  return key.is_stderr ? !wanted_.no_stderr() : !wanted_.no_stdout();
}

bool Follower::Awaits(const OutputContainer& container) const {
  if (over_ || sizes_only_ || !WantsTask(container.task)) return false;
  for (auto at = sources_.lower_bound({container.task}); at != sources_.end(); ++at) {
    if (at->first.task != container.task) break;
    const Output* output = context_.outputs().Find(at->first);
    if (!at->second.end_sent && output != nullptr && output->container.get() == &container) return true;
  }
  return false;
}

void Follower::Begin() {
  begun_ = true;
  for (auto& [key, progress] : sources_) {
    const Output* output = context_.outputs().Find(key);
    if (sizes_only_ || output == nullptr || progress.end_sent) continue;
    progress.target = output->size;
    progress.needs_end = output->closed();
    progress.behind = progress.sent < progress.target || progress.needs_end;
    behind_ += progress.behind ? 1 : 0;
  }
}

void Follower::OnOutput(const OutputKey& key, const Output&) {
  if (over_ || !Wants(key)) return;
  const auto [it, added] = sources_.try_emplace(key);
  if (added) {
    const auto have = have_.find(key);
    if (have != have_.end()) it->second.sent = it->second.requested = have->second;
  }
  Enqueue(key, it->second);
}

void Follower::Enqueue(const OutputKey& key, Progress& progress) {
  if (progress.queued || progress.end_sent || sizes_only_) return;
  progress.queued = true;
  turns_.push_back(key);
}

void Follower::OnPulled(const OutputKey& key, int32_t asked, wire::LogData data) {
  Progress& progress = sources_[key];
  load_ -= asked;
  --progress.in_flight;
  const auto size = static_cast<int64_t>(data.bytes().size());
  const bool next = data.offset() == progress.sent && size > 0 && !over_;
  if (next) {
    wire::FollowReply reply;
    wire::LogChunk& chunk = *reply.mutable_log();
    *chunk.mutable_source() = SourceOf(key);
    chunk.set_offset(progress.sent);
    chunk.set_bytes(std::move(*data.mutable_bytes()));
    progress.sent += size;
    Send(reply);
  }
  const Output* output = context_.outputs().Find(key);
  // The executor has no bytes at this position, so the file was truncated and the missing bytes cannot be read.
  if (size == 0 && progress.in_flight == 0 && output != nullptr && output->ended) progress.unreadable = true;
  Settle(progress, size == 0);
  Enqueue(key, progress);
}

void Follower::OnPullLost(const OutputKey& key, int32_t asked) {
  Progress& progress = sources_[key];
  load_ -= asked;
  --progress.in_flight;
  Settle(progress, false);
  Enqueue(key, progress);
}

// If no request is in flight, marks the missing bytes as not requested, so that they are requested again. Also checks
// whether everything that was written before the follow began has been sent. nothing_there: the executor had no more
// bytes to send.
void Follower::Settle(Progress& progress, bool nothing_there) {
  if (progress.in_flight == 0) progress.requested = progress.sent;
  if (!progress.behind || progress.needs_end) return;
  if (progress.sent < progress.target && !nothing_there) return;
  progress.behind = false;
  --behind_;
}

void Follower::OnWritten() {
  if (unwritten_.empty()) return;
  load_ -= unwritten_.front();
  unwritten_.pop_front();
  progress_ = context_.Now();
}

bool Follower::Pump() {
  if (over_) return false;
  while (load_ < kLoadLimit && (SendJournal() || ServeNext())) {
  }
  if (!begun_ || caught_up_ || behind_ > 0 || journal_sent_ < std::min(journal_target_, JournalLimit())) return false;
  caught_up_ = true;
  if (sizes_only_) SendSizes();
  wire::FollowReply reply;
  reply.mutable_caught_up();
  Send(reply);
  if (!now_only_) return false;
  SendEnded(false);
  return true;
}

void Follower::Finish() {
  if (over_) return;
  while (SendJournal() || ServeNext()) {
  }
  SendEnded(true);
}

void Follower::SendEnded(bool job_ended) {
  over_ = true;
  wire::FollowReply reply;
  reply.mutable_ended()->set_job_ended(job_ended);
  Send(reply);
}

bool Follower::SendJournal() {
  const int64_t limit = JournalLimit();
  if (journal_sent_ >= limit) return false;
  wire::FollowReply reply;
  reply.set_journal(context_.journal().Read(journal_sent_, limit));
  if (reply.journal().empty()) return false;
  journal_sent_ += static_cast<int64_t>(reply.journal().size());
  Send(reply);
  return true;
}

// Returns the offset of the first line that records the end of an attempt whose output was not sent completely yet.
// Returns the journal's size if there is no such line.
int64_t Follower::JournalLimit() {
  const std::deque<AttemptEnd>& ends = context_.journal().attempt_ends();
  if (!wants_logs_ || sizes_only_) return context_.journal().size();
  for (; next_end_ < ends.size(); ++next_end_) {
    const AttemptEnd& end = ends[next_end_];
    if (end.offset < journal_sent_) continue;
    for (auto at = sources_.lower_bound({end.task, end.attempt}); at != sources_.end(); ++at) {
      if (at->first.task != end.task || at->first.attempt != end.attempt) break;
      if (!at->second.end_sent) return end.offset;
    }
  }
  return context_.journal().size();
}

// Sends a piece of the next output in turn, so that a large output does not delay the others.
bool Follower::ServeNext() {
  for (size_t left = turns_.size(); left > 0; --left) {
    const OutputKey key = turns_.front();
    turns_.pop_front();
    Progress& progress = sources_[key];
    progress.queued = false;
    const Output* output = context_.outputs().Find(key);
    if (output != nullptr && Serve(key, progress, *output)) return true;
  }
  return false;
}

bool Follower::Serve(const OutputKey& key, Progress& progress, const Output& output) {
  if (progress.end_sent) return false;
  if (IsComplete(progress, output)) {
    progress.end_sent = true;
    if (progress.behind) --behind_;
    progress.behind = false;
    SendEnd(key, output);
    return true;
  }
  const int64_t size = std::min(kPiece, output.size - progress.requested);
  if (!output.readable() || progress.unreadable || size <= 0) return false;
  ++progress.in_flight;
  load_ += size;
  const int64_t offset = progress.requested;
  progress.requested += size;
  Enqueue(key, progress);
  context_.Pull(*this, key, offset, static_cast<int32_t>(size));
  return true;
}

bool Follower::IsComplete(const Progress& progress, const Output& output) const {
  if (!output.closed() || progress.in_flight > 0) return false;
  return !output.readable() || progress.unreadable || (output.size_known && progress.sent >= output.size);
}

void Follower::SendEnd(const OutputKey& key, const Output& output) {
  wire::FollowReply reply;
  wire::LogEnd& end = *reply.mutable_log_end();
  *end.mutable_source() = SourceOf(key);
  if (output.ended && output.size_known) end.set_size(output.size);
  end.set_container(output.container->id.text);
  end.set_node(output.container->node);
  Send(reply);
}

void Follower::SendSizes() {
  for (const auto& [key, output] : context_.outputs().all()) {
    if (!Wants(key)) continue;
    wire::FollowReply reply;
    wire::LogSize& size = *reply.mutable_log_size();
    *size.mutable_source() = SourceOf(key);
    size.set_size(output.size);
    size.set_ended(output.ended);
    size.set_readable(output.readable());
    size.set_container(output.container->id.text);
    size.set_node(output.container->node);
    Send(reply);
  }
}

wire::LogSource Follower::SourceOf(const OutputKey& key) const {
  wire::LogSource source;
  source.set_role(context_.RoleName(key.task.role));
  source.set_index(key.task.index);
  source.set_attempt(key.attempt);
  source.set_local_rank(key.local_rank);
  source.set_is_stderr(key.is_stderr);
  return source;
}

void Follower::Send(const wire::FollowReply& reply) {
  const auto size = static_cast<int64_t>(reply.ByteSizeLong());
  if (unwritten_.empty()) progress_ = context_.Now();
  load_ += size;
  unwritten_.push_back(size);
  context_.Reply(*this, reply);
}

}  // namespace howdah::am
