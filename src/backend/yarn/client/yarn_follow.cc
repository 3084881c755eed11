#include "yarn_follow.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "log_store.h"
#include "running_application.h"

namespace howdah::backend::yarn::client {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxQueued = size_t{4} << 20;
constexpr size_t kMaxPerRead = size_t{1} << 20;
constexpr size_t kEntryWeight = 512;
// The ResourceManager sends no notifications, so it is polled: often at first, then at growing intervals.
constexpr Duration kFirstPause = 25ms, kMaxPause = 1s;
constexpr Duration kMaxReasonPause = 1min;  // longest pause between queries for the reason why the job is queued
constexpr Duration kConnectLimit = 10s;
constexpr Duration kLogLimit = 30s;
// The follow ends with an error after this many consecutive failures (about a quarter of an hour).
constexpr int kMaxFailures = 900, kFailuresBeforeNote = 5;

void Signal(int fd) {
  const uint64_t one = 1;
  if (write(fd, &one, sizeof one) < 0) return;  // the counter is full, so fd is already signalled
}

}  // namespace

FollowQueue::FollowQueue() : ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void FollowQueue::Push(Item item, size_t weight) {
  std::unique_lock lock(mutex_);
  not_full_.wait(lock, [this] { return weight_ < kMaxQueued || stopped_; });
  if (stopped_) return;
  items_.emplace_back(std::move(item), weight);
  weight_ += weight;
  not_empty_.notify_all();
  Signal(ready_.get());
}

void FollowQueue::SetCaughtUp() {
  const std::lock_guard lock(mutex_);
  caught_up_ = true;
  not_empty_.notify_all();
}

std::deque<FollowQueue::Item> FollowQueue::Take(bool& more) {
  std::deque<Item> taken;
  {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return caught_up_ || !items_.empty(); });
    uint64_t count = 0;
    if (read(ready_.get(), &count, sizeof count) < 0) count = 0;  // the descriptor was not signalled
    for (size_t weight = 0; !items_.empty() && weight < kMaxPerRead;) {
      weight += items_.front().second;
      weight_ -= items_.front().second;
      taken.push_back(std::move(items_.front().first));
      items_.pop_front();
    }
    more = !items_.empty() || !caught_up_;
    if (more) Signal(ready_.get());
  }
  not_full_.notify_all();
  return taken;
}

void FollowQueue::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  not_full_.notify_all();
}

YarnFollow::YarnFollow(HadoopClient cluster, JobId id, std::optional<backend::LogSelection> logs)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      logs_(std::move(logs)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<std::unique_ptr<YarnFollow>> YarnFollow::Start(HadoopClient cluster, JobId id,
                                                      std::optional<backend::LogSelection> logs) {
  std::unique_ptr<YarnFollow> follow(new YarnFollow(std::move(cluster), std::move(id), std::move(logs)));
  if (!follow->queue_.valid() || !follow->wake_.valid()) return os::files::SystemError("following " + follow->id_.text);
  follow->thread_ = std::thread([raw = follow.get()] { raw->Run(); });
  return follow;
}

YarnFollow::~YarnFollow() {
  queue_.Stop();
  Signal(wake_.get());
  if (thread_.joinable()) thread_.join();
}

bool YarnFollow::Read(backend::FollowSink& sink) {
  bool more = false;
  for (FollowQueue::Item& item : queue_.Take(more)) {
    if (const auto* entries = std::get_if<FollowQueue::Entries>(&item)) {
      for (const core::JournalEntry& entry : *entries) sink.OnEntry(entry);
    } else if (const auto* output = std::get_if<FollowQueue::Output>(&item)) {
      sink.OnLog(output->source, output->bytes);
    } else if (const auto* note = std::get_if<FollowQueue::Note>(&item)) {
      sink.OnNote(note->line);
    } else {
      ended_ = true;
    }
  }
  return more;
}

void YarnFollow::Run() {
  for (Duration pause = kFirstPause; !queue_.stopped(); pause = std::min(pause * 3 / 2, kMaxPause)) {
    if (Poll()) break;
    queue_.SetCaughtUp();
    if (failures_ > kMaxFailures) {
      queue_.Push(FollowQueue::Note{"giving up following the job: " + last_error_}, kEntryWeight);
      break;
    }
    pollfd wanted{wake_.get(), POLLIN, 0};
    poll(&wanted, 1, static_cast<int>(pause.count() / 1000));
  }
  queue_.Push(FollowQueue::End{}, 0);
  queue_.SetCaughtUp();
}

bool YarnFollow::Poll() {
  const auto rm = cluster_.Rm();
  if (!rm.ok()) return CountFailure(rm.error());
  const auto report = (*rm)->Report(*hadoop::yarn::ParseApplicationId(id_.text));
  if (!report.ok()) {
    if (report.error().code != ErrorCode::kNotFound) return CountFailure(report.error());
    // The ResourceManager no longer has the application: the job ended long ago.
    if (const auto journal = ReadHistoryJournal(cluster_, id_); journal.ok()) QueueRestOfJournal(*journal);
    FetchMissingLogs();
    return true;
  }
  failures_ = 0;
  user_ = report->user();
  if (HasEnded(*report)) {
    const auto journal = ReadEndedJournal(cluster_, id_, *report);
    if (!journal.ok()) return CountFailure(journal.error());
    FetchMissingLogs();  // read the output of all tasks in the journal so far before delivering the end
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

bool YarnFollow::CountFailure(const Error& error) {
  if (++failures_ == kFailuresBeforeNote) queue_.Push(FollowQueue::Note{error.message + "; will retry"}, kEntryWeight);
  last_error_ = error.message;
  return false;
}

void YarnFollow::ReportPendingReason(const ::hadoop::yarn::ApplicationReportProto& report) {
  if (received_.journal.empty()) {
    if (const auto journal = ReadRunningJournal(cluster_, id_); journal.ok()) AppendJournal(*journal);
  }
  const Instant now = clock_.Now();
  if (!pending_.next_query) pending_.next_query = now + pending_.pause;  // most jobs start before the first query
  if (now < *pending_.next_query) return;
  const std::string reason = WhyApplicationIsPending(cluster_, report);
  pending_.pause = std::min(pending_.pause * 2, kMaxReasonPause);
  pending_.next_query = now + pending_.pause;
  if (reason.empty() || reason == pending_.reported) return;
  pending_.reported = reason;
  core::JobChanged change;
  change.type = core::JobChanged::Type::kWaiting;
  change.reason = reason;
  queue_.Push(FollowQueue::Entries{{clock_.Now(), std::move(change)}}, kEntryWeight);
}

bool YarnFollow::FollowThroughAm(const ::hadoop::yarn::ApplicationReportProto& report) {
  const auto identity = ClientIdentity(cluster_, id_);
  if (!identity.ok()) return false;  // the job has just ended
  const auto address = AmAddress(report);
  if (!address.ok()) return false;
  const auto follow = rpc::AmFollow::Start(*address, *identity, received_.RequestForRest(logs_), kConnectLimit);
  bool job_ended = false;
  while (!queue_.stopped()) {
    while (const auto reply = follow->Next()) {
      if (reply->has_ended()) job_ended = reply->ended().job_ended();
      Handle(*reply);
    }
    if (follow->ended()) break;
    pollfd wanted[2] = {{follow->fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    poll(wanted, 2, -1);
  }
  if (job_ended) FetchMissingLogs();
  return job_ended;
}

void YarnFollow::Handle(const wire::FollowReply& reply) {
  switch (reply.kind_case()) {
    case wire::FollowReply::kJournal:
      return AppendJournal(reply.journal());
    case wire::FollowReply::kLog:
      received_.Add(reply.log());
      return queue_.Push(FollowQueue::Output{FromWire(reply.log().source()), reply.log().bytes()},
                         reply.log().bytes().size());
    case wire::FollowReply::kLogEnd:
      return received_.Add(reply.log_end());
    case wire::FollowReply::kCaughtUp:
      return queue_.SetCaughtUp();
    default:
      return;
  }
}

void YarnFollow::AppendJournal(std::string_view lines) {
  received_.AddJournal(lines);
  FollowQueue::Entries entries = DecodeJournal(std::string(lines));
  // Read the missing output first, so that the end of the job is delivered after it.
  if (std::any_of(entries.begin(), entries.end(), journal::EndsJob)) FetchMissingLogs();
  const size_t weight = entries.size() * kEntryWeight;
  queue_.Push(std::move(entries), weight);
}

void YarnFollow::QueueRestOfJournal(std::string_view journal) {
  if (const std::string_view rest = received_.RestOf(journal); !rest.empty()) AppendJournal(rest);
}

void YarnFollow::FetchMissingLogs() {
  if (!logs_) return;
  LogStore store(cluster_, id_, user_.empty() ? cluster_.user() : user_);
  const Instant end = clock_.Now() + kLogLimit;  // the limit is for all files together
  for (const auto& [source, location] : LogLocations(DecodeJournal(received_.journal))) {
    Received::Output& output = received_.outputs[source];
    if (output.complete || !Matches(*logs_, source) || queue_.stopped()) continue;
    const Status read = store.Read(
        location, output.bytes,
        [&](std::string_view bytes) {
          output.bytes += static_cast<int64_t>(bytes.size());
          queue_.Push(FollowQueue::Output{source, std::string(bytes)}, bytes.size());
          return !queue_.stopped();
        },
        end - clock_.Now());
    output.complete = true;  // do not request the file again, even if it is lost
    if (!read.ok() && !queue_.stopped()) queue_.Push(FollowQueue::Note{read.error().message}, kEntryWeight);
  }
}

}  // namespace howdah::backend::yarn::client
