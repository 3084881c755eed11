#include "local_reader.h"

#include <algorithm>
#include <utility>

namespace howdah::feed::server {
namespace {

const ReaderError kStopped{ReaderError::Kind::kStopped,
                           "no further rows are wanted: a rank has called stop(), or the job ends"};
const ReaderError kOver{ReaderError::Kind::kStopped, "the attempt of this process has ended"};

}  // namespace

// --- HandedOutEvents ---

void HandedOutEvents::Add(const RowsHandedOut& event) {
  if (held_ && (held_->pass != event.pass || !(held_->reader == event.reader))) Flush();
  if (paused_ && !event.waiting) {
    held_ = event;
    return;
  }
  held_.reset();
  Send(event);
}

void HandedOutEvents::Flush() {
  if (held_) Send(*std::exchange(held_, std::nullopt));
}

void HandedOutEvents::Send(const RowsHandedOut& event) {
  send_(event);
  if (std::exchange(paused_, true)) return;
  pause_.expires_after(kPause);
  pause_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    paused_ = false;
    Flush();
  });
}

// --- LocalReader ---

LocalReader::LocalReader(boost::asio::io_context& loop, const Options& options, int rank, Owner& owner)
    : options_(options),
      rank_(rank),
      owner_(owner),
      receiver_(options, rank),
      handed_out_(loop, [this](const Event& event) { owner_.Send(event); }) {}

void LocalReader::Open(ConnectionId connection, std::function<void(OpenAnswer)> done) {
  opens_.push_back({connection, std::move(done)});
  Wake();
}

void LocalReader::Next(ConnectionId connection, const NextRequest& request, std::function<void(NextAnswer)> done) {
  Returned(request.pass, request.returned);
  nexts_.push_back({connection, request, std::move(done)});
  Wake();
}

void LocalReader::Returned(int64_t pass, int64_t rows) {
  if (pass == position_.pass) rows = std::max(rows, position_.rows);
  if (pass >= position_.pass) position_ = {pass, rows};
  owner_.Apply(*this, receiver_.Returned(pass, rows));
}

void LocalReader::ConfirmFirst(Receiver::Effects effects, std::function<void(Status)> done) {
  if (effects.events.empty()) {
    owner_.Apply(*this, std::move(effects));
    return done(Failed("the reader has no place in the feed any more: the ranks restart"));
  }
  const Event first = std::move(effects.events.front());
  effects.events.erase(effects.events.begin());
  owner_.Confirm(first, std::move(done));
  owner_.Apply(*this, std::move(effects));
}

void LocalReader::Step(const StepRequest& request, std::function<void(Status)> done) {
  reports_steps_ = true;
  Receiver::Effects effects = receiver_.StepDone(request.pass, request.rows, request.step);
  if (request.wait) return ConfirmFirst(std::move(effects), std::move(done));
  owner_.Apply(*this, std::move(effects));
  done(Status());
}

void LocalReader::Checkpointed(int64_t step) {
  reports_steps_ = true;
  owner_.Apply(*this, receiver_.Checkpointed(step));
}

void LocalReader::Found(ConnectionId connection, int64_t generation, int64_t step, std::string point,
                        std::function<void(OpenAnswer)> done) {
  position_ = {};
  Event found = CheckpointFound{generation, step};
  if (!point.empty()) found = PointFound{generation, step, std::move(point)};
  owner_.Confirm(found,
                 [this, alive = std::weak_ptr(alive_), connection, done = std::move(done)](const Status& logged) {
                   if (alive.expired()) return;
                   // The orders of the incarnation that follows came before this reply.
                   if (logged.ok()) return Open(connection, done);
                   done(ReaderError{ReaderError::Kind::kMisuse, logged.error().message});
                 });
}

void LocalReader::Commit(const CommitRequest& request, std::function<void(Status)> done) {
  ConfirmFirst(receiver_.CommitCalled(request.pass, request.rows), std::move(done));
}

void LocalReader::Stop(std::function<void(Status)> done) {
  stopped_ = true;
  owner_.Confirm(ReadingStopped{}, std::move(done));
  Wake();
}

void LocalReader::Leave(std::function<void(Status)> done) {
  if (receiver_.ended()) return done(Status());
  owner_.Confirm(ReaderLeft{{rank_, receiver_.incarnation()}}, std::move(done));
}

void LocalReader::Forget(ConnectionId connection) {
  std::erase_if(opens_, [connection](const WaitingOpen& open) { return open.connection == connection; });
  std::erase_if(nexts_, [connection](const WaitingNext& next) { return next.connection == connection; });
}

void LocalReader::OnStepLine(int64_t step) {
  if (reports_steps_ || position_.pass < 0) return;
  owner_.Apply(*this, receiver_.StepDone(position_.pass, position_.rows, step));
}

void LocalReader::OnCheckpointLine(int64_t step) {
  if (reports_steps_ || position_.pass < 0) return;
  owner_.Apply(*this, receiver_.Checkpointed(step));
}

// --- the owner ---

void LocalReader::SendEvents(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* rows = std::get_if<RowsHandedOut>(&event)) {
      handed_out_.Add(*rows);
    } else {
      owner_.Send(event);
    }
  }
}

void LocalReader::Fail(const FailFeed& failed) {
  failed_ = failed;
  Wake();
}

void LocalReader::Resync() {
  handed_out_.Clear();
  for (const Event& event : receiver_.Resync()) owner_.Send(event);
}

void LocalReader::End() {
  handed_out_.Flush();
  owner_.Apply(*this, receiver_.Stop());
  for (const WaitingOpen& open : std::exchange(opens_, {})) open.done(kOver);
  for (const WaitingNext& next : std::exchange(nexts_, {})) next.done(kOver);
  failed_.reset();
  position_ = {};
  reports_steps_ = stopped_ = false;
}

// --- waiting requests ---

// The functions that are called here may call Wake again.
void LocalReader::Wake() {
  wake_again_ = true;
  if (std::exchange(waking_, true)) return;
  while (std::exchange(wake_again_, false)) {
    AnswerOpens();
    AnswerNexts();
  }
  waking_ = false;
}

std::optional<LocalReader::OpenAnswer> LocalReader::TryOpen() const {
  if (failed_) return ToReaderError(*failed_);
  if (stopped_) return kStopped;
  if (receiver_.incarnation() >= 0) {
    if (const auto pass = receiver_.first_pass()) return *pass;
  }
  // The feed was read to its end before this process started.
  if (receiver_.ended()) return options_.passes;
  return std::nullopt;
}

void LocalReader::AnswerOpens() {
  while (!opens_.empty()) {
    const auto answer = TryOpen();
    if (!answer) return;
    const WaitingOpen open = std::move(opens_.front());
    opens_.pop_front();
    open.done(*answer);
  }
}

void LocalReader::AnswerNexts() {
  using What = Receiver::Next::What;
  while (!nexts_.empty()) {
    const NextRequest request = nexts_.front().request;
    // With batches that are requested ahead, a later request says that the program waits for the first one.
    const bool waits =
        std::any_of(nexts_.begin(), nexts_.end(), [](const WaitingNext& one) { return one.request.waiting; });
    auto [next, effects] =
        receiver_.Fetch({.pass = request.pass, .rows = request.rows, .batches = request.batches, .waiting = waits});
    NextAnswer answer;
    if (next.what == What::kBatch) {
      answer = std::move(next.slices);
    } else if (next.what == What::kEnd && next.end->empty) {
      answer =
          ReaderError{ReaderError::Kind::kEmpty, "pass " + std::to_string(request.pass) +
                                                     " of the feed has not enough rows for one batch of each rank"};
    } else if (next.what == What::kEnd) {
      answer = *next.end;
    } else if (next.what == What::kFailed) {
      answer = ToReaderError(*next.failed);
    } else if (stopped_ || receiver_.ended()) {
      answer = kStopped;
    } else {
      return owner_.Apply(*this, std::move(effects));
    }
    const WaitingNext waiting = std::move(nexts_.front());
    nexts_.pop_front();
    owner_.Apply(*this, std::move(effects));
    waiting.done(std::move(answer));
  }
}

}  // namespace howdah::feed::server
