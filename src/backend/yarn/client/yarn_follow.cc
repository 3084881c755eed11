#include "yarn_follow.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "am_calls.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "log_lookup.h"
#include "waiting_am.h"

namespace howdah::backend::yarn::client {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostQueued = size_t{4} << 20;
constexpr size_t kMostPerRead = size_t{1} << 20;
constexpr size_t kEntryWeight = 512;
// The ResourceManager tells nothing by itself: it is asked soon at first, then less and less often.
constexpr Duration kFirstPause = 25ms, kLongestPause = 1s;
constexpr Duration kLongestWhyPause = 1min;  // between questions what a job waits for, which cost several calls
constexpr Duration kConnectLimit = 10s;
constexpr Duration kLogLimit = 30s;
// After so many failed looks in a row (about a quarter of an hour) the follow gives up.
constexpr int kMostFailures = 900, kWorthSaying = 5;

void Signal(int fd) {
  const uint64_t one = 1;
  if (write(fd, &one, sizeof one) < 0) return;  // full: it has been told
}

}  // namespace

YarnFollow::YarnFollow(HadoopClient cluster, JobId id, std::optional<backend::LogSelection> logs)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      logs_(std::move(logs)),
      ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<std::unique_ptr<YarnFollow>> YarnFollow::Start(HadoopClient cluster, JobId id,
                                                      std::optional<backend::LogSelection> logs) {
  std::unique_ptr<YarnFollow> follow(new YarnFollow(std::move(cluster), std::move(id), std::move(logs)));
  if (!follow->ready_.valid() || !follow->wake_.valid()) return os::files::SystemError("following " + follow->id_.text);
  follow->thread_ = std::thread([raw = follow.get()] { raw->Run(); });
  return follow;
}

YarnFollow::~YarnFollow() {
  stop_ = true;
  Signal(wake_.get());
  room_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool YarnFollow::Read(backend::FollowSink& sink) {
  std::deque<Item> taken;
  bool more = false;
  {
    std::unique_lock lock(mutex_);
    something_.wait(lock, [this] { return caught_up_ || !queue_.empty(); });
    uint64_t count = 0;
    if (read(ready_.get(), &count, sizeof count) < 0) count = 0;  // nothing was signalled
    for (size_t weight = 0; !queue_.empty() && weight < kMostPerRead;) {
      weight += queue_.front().second;
      weight_ -= queue_.front().second;
      taken.push_back(std::move(queue_.front().first));
      queue_.pop_front();
    }
    more = !queue_.empty() || !caught_up_;
    if (more) Signal(ready_.get());
  }
  room_.notify_all();
  for (Item& item : taken) {
    if (const auto* entries = std::get_if<Entries>(&item)) {
      for (const core::JournalEntry& entry : *entries) sink.OnEntry(entry);
    } else if (const auto* output = std::get_if<Output>(&item)) {
      sink.OnLog(output->source, output->bytes);
    } else if (const auto* note = std::get_if<Note>(&item)) {
      sink.OnNote(note->line);
    } else {
      ended_ = true;
    }
  }
  return more;
}

void YarnFollow::Queue(Item item, size_t weight) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return weight_ < kMostQueued || stop_; });
  if (stop_) return;
  queue_.emplace_back(std::move(item), weight);
  weight_ += weight;
  something_.notify_all();
  Signal(ready_.get());
}

void YarnFollow::CaughtUp() {
  const std::lock_guard lock(mutex_);
  caught_up_ = true;
  something_.notify_all();
}

void YarnFollow::Pause(Duration limit) {
  pollfd wanted{wake_.get(), POLLIN, 0};
  poll(&wanted, 1, static_cast<int>(limit.count() / 1000));
}

void YarnFollow::Run() {
  for (Duration pause = kFirstPause; !stopped(); pause = std::min(pause * 3 / 2, kLongestPause)) {
    if (Look()) break;
    CaughtUp();
    if (failures_ > kMostFailures) {
      Queue(Note{"giving up: " + last_error_}, kEntryWeight);
      break;
    }
    Pause(pause);
  }
  Queue(End{}, 0);
  CaughtUp();
}

bool YarnFollow::Look() {
  const auto rm = cluster_.Rm();
  if (!rm.ok()) return Failed(rm.error());
  const auto report = (*rm)->Report(*hadoop::yarn::ParseApplicationId(id_.text));
  if (!report.ok()) {
    if (report.error().code != ErrorCode::kNotFound) return Failed(report.error());
    // The ResourceManager has forgotten it: it ended long ago.
    if (const auto journal = ReadHistoryJournal(cluster_, id_); journal.ok()) QueueRestOfJournal(*journal);
    FetchMissingLogs();
    return true;
  }
  failures_ = 0;
  user_ = report->user();
  if (HasEnded(*report)) {
    const auto journal = ReadEndedJournal(cluster_, id_, *report);
    if (!journal.ok()) return Failed(journal.error());
    FetchMissingLogs();  // of what is known so far, so that output comes before the end
    QueueRestOfJournal(*journal);
    FetchMissingLogs();
    return true;
  }
  if (report->yarn_application_state() == ::hadoop::yarn::RUNNING && report->rpc_port() > 0) {
    return FollowThroughAm(*report);
  }
  ReportPendingReason(*report);
  return false;
}

bool YarnFollow::Failed(const Error& error) {
  if (++failures_ == kWorthSaying) Queue(Note{error.message + "; it is tried again"}, kEntryWeight);
  last_error_ = error.message;
  return false;
}

void YarnFollow::ReportPendingReason(const ::hadoop::yarn::ApplicationReportProto& report) {
  if (journal_offset_ == 0) {
    if (const auto journal = ReadRunningJournal(cluster_, id_); journal.ok()) AppendJournal(*journal);
  }
  const auto now = std::chrono::steady_clock::now();
  if (!ask_why_) ask_why_ = now + why_pause_;  // mostly there is nothing to tell
  if (now < *ask_why_) return;
  const std::string reason = WhyApplicationIsPending(cluster_, report);
  why_pause_ = std::min(why_pause_ * 2, kLongestWhyPause);
  ask_why_ = now + why_pause_;
  if (reason.empty() || reason == waiting_) return;
  waiting_ = reason;
  core::JobChanged change;
  change.type = core::JobChanged::Type::kWaiting;
  change.reason = reason;
  Queue(Entries{{os::process::Clock().Now(), std::move(change)}}, kEntryWeight);
}

wire::FollowRequest YarnFollow::Request() const {
  wire::FollowRequest request;
  request.set_journal_offset(journal_offset_);
  if (!logs_) return request;
  wire::LogsWanted& wanted = *request.mutable_logs();
  if (logs_->role) wanted.set_role(*logs_->role);
  if (logs_->index) wanted.set_index(*logs_->index);
  if (logs_->attempt) wanted.set_attempt(*logs_->attempt);
  wanted.set_no_stdout(!logs_->want_stdout);
  wanted.set_no_stderr(!logs_->want_stderr);
  for (const auto& [source, progress] : sources_) {
    wire::LogPosition& position = *wanted.add_have();
    *position.mutable_source() = ToWire(source);
    position.set_offset(progress.have);
  }
  return request;
}

bool YarnFollow::FollowThroughAm(const ::hadoop::yarn::ApplicationReportProto& report) {
  const auto identity = ClientIdentity(cluster_, id_);
  if (!identity.ok()) return false;  // it has just ended
  const auto address = AmAddress(report);
  if (!address.ok()) return false;
  const auto follow = rpc::AmFollow::Start(*address, *identity, Request(), kConnectLimit);
  bool job_ended = false;
  while (!stopped()) {
    while (const auto reply = follow->Next()) {
      if (reply->has_ended()) job_ended = reply->ended().job_ended();
      Take(*reply);
    }
    if (follow->ended()) break;
    pollfd wanted[2] = {{follow->fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    poll(wanted, 2, -1);
  }
  if (job_ended) FetchMissingLogs();
  return job_ended;
}

void YarnFollow::Take(const wire::FollowReply& reply) {
  switch (reply.kind_case()) {
    case wire::FollowReply::kJournal:
      return AppendJournal(reply.journal());
    case wire::FollowReply::kLog: {
      const backend::LogSource source = FromWire(reply.log().source());
      sources_[source].have = reply.log().offset() + static_cast<int64_t>(reply.log().bytes().size());
      return Queue(Output{source, reply.log().bytes()}, reply.log().bytes().size());
    }
    case wire::FollowReply::kLogEnd: {
      Progress& progress = sources_[FromWire(reply.log_end().source())];
      progress.whole = reply.log_end().has_size() && progress.have >= reply.log_end().size();
      return;
    }
    case wire::FollowReply::kCaughtUp:
      return CaughtUp();
    default:
      return;
  }
}

void YarnFollow::AppendJournal(const std::string& lines) {
  journal_offset_ += static_cast<int64_t>(lines.size());
  journal_ += lines;
  Entries entries = DecodeJournal(lines);
  // The end is only told when all output has been.
  if (std::any_of(entries.begin(), entries.end(), journal::EndsJob)) FetchMissingLogs();
  const size_t weight = entries.size() * kEntryWeight;
  Queue(std::move(entries), weight);
}

void YarnFollow::QueueRestOfJournal(const std::string& journal) {
  if (journal.size() > static_cast<size_t>(journal_offset_)) {
    AppendJournal(journal.substr(static_cast<size_t>(journal_offset_)));
  }
}

void YarnFollow::FetchMissingLogs() {
  if (!logs_) return;
  LogStore store(cluster_, id_, user_.empty() ? cluster_.user() : user_);
  const auto end = std::chrono::steady_clock::now() + kLogLimit;  // of the wait for all of them
  for (const auto& [source, place] : LogLocations(DecodeJournal(journal_))) {
    Progress& progress = sources_[source];
    if (progress.whole || !Wants(*logs_, source) || stopped()) continue;
    const Status read = store.Read(
        place, progress.have,
        [&](std::string_view bytes) {
          progress.have += static_cast<int64_t>(bytes.size());
          Queue(Output{source, std::string(bytes)}, bytes.size());
        },
        std::chrono::duration_cast<Duration>(end - std::chrono::steady_clock::now()));
    progress.whole = true;  // or nobody has it: it is not asked for again
    if (!read.ok() && !stopped()) Queue(Note{read.error().message}, kEntryWeight);
  }
}

}  // namespace howdah::backend::yarn::client
