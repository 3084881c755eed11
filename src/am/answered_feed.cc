#include "answered_feed.h"

#include <algorithm>
#include <set>
#include <utility>

#include "howdah/feed/messages.h"

namespace howdah::am {

AnsweredFeed::AnsweredFeed(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, FeedLog log, Ports ports)
    : name_(feed.name),
      log_(std::move(log)),
      ports_(std::move(ports)),
      seats_(spec, feed, /*alone=*/true),
      meter_(ports_.clock.Now()) {}

std::optional<wire::FeedReaders> AnsweredFeed::Place(const core::StartTask& order, const core::PeerGroup& peers) {
  const auto position = seats_.PositionOf(order, peers);
  if (!position) return std::nullopt;
  // Processes do not depend on each other, so there is one generation.
  if (seats_.NeedsGeneration(order, *position)) seats_.Form({0, order.generation, position->readers});
  if (!seats_.Has(order, *position)) seats_.Take(order, *position);
  wire::FeedReaders readers;
  readers.set_feed(name_);
  readers.set_first(position->first);
  readers.set_readers(position->readers);
  return readers;
}

void AnsweredFeed::Started(const ContainerId& container) {
  if ((closed() || ending_) && !seats_.Of(container).empty()) OrderEnd(container);
}

void AnsweredFeed::EndProcesses(const ContainerId& container, std::optional<int> attempt,
                                std::optional<int> local_rank) {
  for (const int rank : seats_.End(container, attempt, local_rank)) {
    meter_.Waits(ports_.clock.Now(), rank, false);
    ends_unseen_ = true;
  }
}

void AnsweredFeed::OnPassDone(const journal::JobView& view, bool ending) {
  if (ending) return End();
  if (!ends_unseen_ || view.state != core::JobState::kRunning) return;
  ends_unseen_ = false;
  if (seats_.Expected(view).empty()) End();
}

void AnsweredFeed::OnContainerGone(const ContainerId& container) {
  EndProcesses(container, std::nullopt, std::nullopt);
  for (const int rank : seats_.Of(container)) seats_.at(rank).container = {};
  reports_.erase(container);
}

void AnsweredFeed::OnCall(const ContainerId& container, const wire::FeedCall& call) {
  if (call.what_case() == wire::FeedCall::kSupplyEnded) return;
  wire::ToExecutor message;
  message.mutable_feed_reply()->set_id(call.id());
  if (call.what_case() == wire::FeedCall::kClose) {
    const Status closed = Close();
    if (!closed.ok()) message.mutable_feed_reply()->set_error(closed.error().message);
  } else {
    message.mutable_feed_reply()->set_error("the feed " + name_ + " has answers; ask with DoExchange");
  }
  ports_.order(container, message);
}

void AnsweredFeed::OnAnswers(const ContainerId& container, const wire::FeedAnswers& report) {
  const std::vector<int> ranks = seats_.Of(container);
  if (ranks.empty()) return;
  const Instant now = ports_.clock.Now();
  wire::FeedAnswers& newest = reports_[container];
  meter_.Answered(now, std::max<int64_t>(0, report.rows() - newest.rows()));
  newest = report;
  int idle = report.idle();
  for (const int rank : ranks) meter_.Waits(now, rank, seats_.at(rank).running && idle-- > 0);
  meter_.SourcesWait(now, std::any_of(reports_.begin(), reports_.end(),
                                      [](const auto& entry) { return entry.second.clients_wait(); }));
}

journal::FeedView AnsweredFeed::View() const {
  int running = 0;
  for (int rank = 0; rank < seats_.size(); ++rank) running += seats_.at(rank).running ? 1 : 0;
  journal::FeedView view = meter_.View(ports_.clock.Now(), running, "clients");
  view.name = name_;
  for (const auto& [container, report] : reports_) {
    view.rows += report.rows();
    view.bytes += report.bytes();
    view.sources += report.clients();
  }
  return view;
}

Result<std::vector<ContainerId>> AnsweredFeed::Containers() const {
  if (closed()) return Failed("the feed " + name_ + " is closed");
  if (ending_) return Failed("the feed " + name_ + " is over: the job ends, or no task is left that answers");
  std::vector<ContainerId> containers;
  std::set<ContainerId> seen;
  for (int rank = 0; rank < seats_.size(); ++rank) {
    const FeedSeats::Reader& reader = seats_.at(rank);
    if (reader.running && seen.insert(reader.container).second) containers.push_back(reader.container);
  }
  return containers;
}

Status AnsweredFeed::Close() {
  if (!log_.source_ended()) {
    log_.Step(feed::SourceEnded{0}, ports_.clock.Now());
  } else if (!log_.file().written().ok()) {
    log_.file().Flush();
  }
  HOWDAH_TRY_STATUS(log_.file().written());
  for (int rank = 0; rank < seats_.size(); ++rank) {
    if (seats_.at(rank).running) OrderEnd(seats_.at(rank).container);
  }
  ports_.over();
  return {};
}

void AnsweredFeed::End() {
  if (std::exchange(ending_, true)) return;
  for (int rank = 0; rank < seats_.size(); ++rank) {
    if (seats_.at(rank).running) OrderEnd(seats_.at(rank).container);
  }
  ports_.over();
}

void AnsweredFeed::OrderEnd(const ContainerId& container) const {
  wire::ToExecutor message;
  wire::FeedOrder& order = *message.add_feed_orders();
  order.set_feed(name_);
  order.set_action(feed::EncodeAction(feed::EndFeed{}));
  ports_.order(container, message);
}

}  // namespace howdah::am
