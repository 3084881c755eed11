#include "feeds.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <iostream>
#include <set>
#include <utility>
#include <variant>

#include "answered_feed.h"
#include "howdah/frameworks/feed.h"
#include "live_feed.h"

namespace howdah::am {
namespace {

void AddLocations(const wire::FeedServes& place, std::vector<std::string>& locations) {
  if (!place.unix_path().empty()) locations.push_back("grpc+unix://" + place.unix_path());
  if (place.port() == 0) return;
  locations.push_back("grpc+tls://" + HostPort{place.host(), static_cast<uint16_t>(place.port())}.Text());
}

}  // namespace

Feeds::Feeds(boost::asio::io_context& loop, const jobspec::JobSpec& spec, const os::process::Clock& clock,
             std::string directory, Wires wires, bool moves, Duration longest_wait)
    : loop_(loop),
      spec_(spec),
      clock_(clock),
      directory_(std::move(directory)),
      wires_(std::move(wires)),
      moves_(moves),
      longest_wait_(longest_wait),
      tails_(wires_.order),
      timer_(loop) {}

Feeds::~Feeds() = default;

Status Feeds::Open(bool resumes) {
  replaying_ = resumes;
  for (const jobspec::FeedSpec& feed : spec_.feeds) {
    auto log = FeedLog::Open(directory_ + "feed-" + feed.name + ".bin", frameworks::FeedOptionsOf(spec_, feed));
    if (!log.ok()) return log.error();
    if (!resumes && log->file().empty()) {
      log->Begin();
      if (moves_ && !feed.answers) log->BeginTerm(NewTerm());
    }
    if (feed.answers) {
      answered_.push_back(std::make_unique<AnsweredFeed>(
          spec_, feed, std::move(*log), AnsweredFeed::Ports{clock_, wires_.order, wires_.locations_changed}));
      continue;
    }
    const auto place = [this](const ContainerId& container) {
      const auto found = places_.find(container);
      return found == places_.end() ? nullptr : &found->second;
    };
    const auto order = [this, name = feed.name](const ContainerId& to, const wire::ToExecutor& message) {
      tails_.Order(name, Find(name)->log(), to, message);
    };
    feeds_.push_back(std::make_unique<LiveFeed>(spec_, feed, std::move(*log),
                                                LiveFeed::Ports{clock_, longest_wait_, order, place, [this] { Arm(); },
                                                                wires_.locations_changed, wires_.fail}));
    if (!resumes) feeds_.back()->seats().Continue(feeds_.back()->log().formed());
  }
  return {};
}

LiveFeed* Feeds::Find(const std::string& name) const {
  for (const auto& feed : feeds_) {
    if (feed->name() == name) return feed.get();
  }
  return nullptr;
}

AnsweredFeed* Feeds::FindAnswered(const std::string& name) const {
  for (const auto& feed : answered_) {
    if (feed->name() == name) return feed.get();
  }
  return nullptr;
}

void Feeds::Replay(const core::Event& event) { NoteEnd(event); }

void Feeds::Replay(const core::StartTask& order, const core::PeerGroup& peers) {
  for (const auto& feed : feeds_) feed->Place(order, peers, false);
  for (const auto& feed : answered_) feed->Place(order, peers);
}

Status Feeds::Resume(bool from_copy) {
  for (const auto& feed : answered_) {
    if (feed->log().file().empty()) feed->log().Begin();
  }
  if (from_copy) {
    std::set<ContainerId> awaited;
    for (const auto& feed : feeds_) awaited.merge(feed->seats().Running());
    // The core gives an executor up that is silent for one such time.
    recovery_ = std::make_unique<FeedRecovery>(std::move(awaited), clock_.Now() + 2 * spec_.timeouts.heartbeat);
    if (recovery_->complete()) return Recover();
    Arm();
    return {};
  }
  replaying_ = false;
  for (const auto& feed : feeds_) {
    const int64_t term = moves_ && feed->log().tail().term() == 0 ? NewTerm() : 0;
    HOWDAH_TRY_STATUS(feed->Resume([](const ContainerId&) { return true; }, term));
    if (feed->log().file().empty()) feed->log().Begin();
  }
  return {};
}

Status Feeds::Recover() {
  const std::unique_ptr<FeedRecovery> recovery = std::exchange(recovery_, nullptr);
  if (!recovery->complete()) {
    std::cerr << "the feeds do not wait for the executors of " << recovery->Awaited() << " any longer\n";
  }
  replaying_ = false;
  for (const auto& feed : feeds_) {
    FeedLog& log = feed->log();
    HOWDAH_TRY_STATUS(recovery->Extend(feed->name(), log));
    std::set<ContainerId> covered;
    for (const ContainerId& container : feed->seats().Running()) {
      if (recovery->Covers(feed->name(), log, container)) covered.insert(container);
    }
    HOWDAH_TRY_STATUS(feed->Resume([&covered](const ContainerId& container) { return covered.contains(container); },
                                   recovery->NextTerm(feed->name(), NewTerm())));
  }
  recovery->Release();
  Arm();
  return {};
}

void Feeds::RecoverIfComplete() {
  if (!recovery_->complete() && clock_.Now() < recovery_->until()) return;
  if (const Status recovered = Recover(); !recovered.ok()) wires_.fail(recovered.error());
}

std::vector<wire::FeedReaders> Feeds::Start(const core::StartTask& order, const core::PeerGroup& peers) {
  // The core repeats its orders to another AM. If it starts an attempt, tasks that depend on each other have all ended,
  // so no further tail would come.
  const bool repeated = std::all_of(feeds_.begin(), feeds_.end(), [&](const auto& feed) {
    const auto position = feed->seats().PositionOf(order, peers);
    return !position || feed->seats().Has(order, *position);
  });
  if (recovery_ && !repeated) {
    if (const Status recovered = Recover(); !recovered.ok()) wires_.fail(recovered.error());
  }
  std::vector<wire::FeedReaders> all;
  for (const auto& feed : feeds_) {
    const auto first = feed->Place(order, peers, true);
    if (!first) continue;
    wire::FeedReaders& readers = all.emplace_back();
    readers.set_feed(feed->name());
    readers.set_first(*first);
    readers.set_readers(feed->seats().size());
    readers.set_generation(feed->seats().formed().generation);
  }
  for (const auto& feed : answered_) {
    if (auto readers = feed->Place(order, peers)) all.push_back(std::move(*readers));
  }
  for (wire::FeedReaders& readers : all) readers.set_token(wires_.token(readers.feed()));
  if (!all.empty()) wires_.locations_changed();
  return all;
}

void Feeds::Started(const core::StartTask& order) {
  for (const auto& feed : feeds_) {
    const auto started = [live = feed.get(), container = order.container] { live->Started(container); };
    recovery_ ? recovery_->Hold(order.container, started) : started();
  }
  for (const auto& feed : answered_) feed->Started(order.container);
}

void Feeds::OnEvent(const core::Event& event) { NoteEnd(event); }

void Feeds::AddNoRestart(core::Event& event) const {
  auto* const exited = std::get_if<core::RankExited>(&event);
  if (exited == nullptr || (exited->exit.success() && exited->diagnosis.cause.empty())) return;
  const auto failed = std::find_if(feeds_.begin(), feeds_.end(), [exited](const auto& feed) {
    return feed->log().ledger().progress().failed && !feed->seats().Of(exited->container).empty();
  });
  if (failed != feeds_.end()) exited->diagnosis.no_restart = "the feed " + (*failed)->name() + " has failed";
}

void Feeds::NoteEnd(const core::Event& event) {
  const auto note = [&](const auto& ended, std::optional<int> local_rank, bool returns) {
    for (const auto& feed : feeds_) {
      feed->EndProcesses(ended.container, ended.attempt, local_rank, returns, !replaying_);
    }
    for (const auto& feed : answered_) feed->EndProcesses(ended.container, ended.attempt, local_rank);
  };
  if (const auto* exited = std::get_if<core::RankExited>(&event)) {
    // A process that has succeeded reads no further rows, also while other processes of its task run.
    note(*exited, exited->local_rank, !(exited->exit.success() && exited->diagnosis.cause.empty()));
  } else if (const auto* ended = std::get_if<core::TaskEnded>(&event)) {
    note(*ended, std::nullopt, true);
  } else if (const auto* failed = std::get_if<core::TaskStartFailed>(&event)) {
    note(*failed, std::nullopt, true);
  }
}

void Feeds::OnPassDone(const journal::JobView& view, bool ending) {
  for (const auto& feed : feeds_) {
    if (!recovery_) feed->OnPassDone(view, ending);
  }
  for (const auto& feed : answered_) feed->OnPassDone(view, ending);
}

void Feeds::Finish() {
  for (const auto& feed : feeds_) std::remove(feed->log().file().path().c_str());
  for (const auto& feed : answered_) std::remove(feed->log().file().path().c_str());
}

void Feeds::OnConnected(const ContainerId& container) {
  for (const auto& feed : answered_) feed->OnConnected(container);
  tails_.Forget(container);
  for (const auto& feed : feeds_) {
    const auto connect = [live = feed.get(), container] { live->OnConnected(container); };
    recovery_ ? recovery_->Hold(container, connect) : connect();
  }
}

void Feeds::OnDisconnected(const ContainerId& container) {
  if (recovery_) recovery_->Drop(container);
  tails_.Forget(container);
  for (const auto& feed : feeds_) feed->sources().Forget(container);
  Arm();
}

void Feeds::OnContainerGone(const ContainerId& container) {
  places_.erase(container);
  for (const auto& feed : feeds_) feed->OnContainerGone(container, !replaying_);
  for (const auto& feed : answered_) feed->OnContainerGone(container);
  tails_.Forget(container);
  if (!recovery_) return;
  recovery_->Forget(container);
  RecoverIfComplete();
}

bool Feeds::OnMessage(const ContainerId& container, const wire::FromExecutor& message) {
  if (message.has_feed_log_tails()) {
    if (recovery_) {
      recovery_->Add(container, message.feed_log_tails());
      RecoverIfComplete();
    }
    return true;
  }
  const bool needs_log = message.has_feed_serves() || message.has_feed_event() ||
                         (message.has_feed_call() && FindAnswered(message.feed_call().feed()) == nullptr);
  if (recovery_ && needs_log) {
    recovery_->Hold(container, [this, container, message] { OnMessage(container, message); });
    return true;
  }
  if (message.has_feed_serves()) {
    places_[container] = message.feed_serves();
    for (const auto& feed : feeds_) feed->OnServes(container, message.feed_serves());
    wires_.locations_changed();
  } else if (message.has_feed_event()) {
    const wire::FeedEvent& event = message.feed_event();
    const auto unix_socket = event.has_unix_socket() ? std::optional(event.unix_socket()) : std::nullopt;
    if (LiveFeed* feed = Find(event.feed())) feed->OnEvent(container, event.event(), unix_socket);
  } else if (message.has_feed_answers()) {
    if (AnsweredFeed* feed = FindAnswered(message.feed_answers().feed()))
      feed->OnAnswers(container, message.feed_answers());
  } else if (message.has_feed_call()) {
    const wire::FeedCall& call = message.feed_call();
    if (LiveFeed* feed = Find(call.feed())) {
      feed->OnCall(container, call);
      // The program relies on what was confirmed.
      if (call.has_event()) tails_.Share(feed->name(), feed->log(), feed->seats().Running());
    } else if (AnsweredFeed* answered = FindAnswered(call.feed())) {
      answered->OnCall(container, call);
    } else {
      wire::ToExecutor refusal;
      refusal.mutable_feed_reply()->set_id(call.id());
      refusal.mutable_feed_reply()->set_error("the job has no feed " + call.feed() +
                                              "; add it to `feeds` in the job file");
      wires_.order(container, refusal);
    }
  } else {
    return false;
  }
  return true;
}

Result<std::vector<std::string>> Feeds::Locations(const std::string& name) const {
  std::vector<std::string> locations;
  if (const AnsweredFeed* const answered = FindAnswered(name)) {
    HOWDAH_TRY(const std::vector<ContainerId> containers, answered->Containers());
    for (const ContainerId& container : containers) {
      if (const auto place = places_.find(container); place != places_.end()) AddLocations(place->second, locations);
    }
    return locations;
  }
  LiveFeed* const feed = Find(name);
  if (feed == nullptr) return Failed("the job has no feed " + name);
  if (feed->log().ledger().progress().over) return Failed("the feed " + name + " is over: no rows are wanted any more");
  std::set<ContainerId> seen;
  for (int rank = 0; rank < feed->seats().size(); ++rank) {
    const wire::FeedServes* place = feed->PlaceOf(rank);
    if (place == nullptr || !seen.insert(feed->seats().at(rank).container).second) continue;
    AddLocations(*place, locations);
  }
  return locations;
}

void Feeds::Close(const std::string& name, const std::function<void(Status)>& done) {
  if (AnsweredFeed* const answered = FindAnswered(name)) return done(answered->Close());
  LiveFeed* const feed = Find(name);
  if (feed == nullptr) return done(Failed("the job has no feed " + name));
  if (recovery_) {
    return recovery_->Hold({}, [this, name, done] { Close(name, done); });
  }
  const Status closed = feed->sources().Close();
  tails_.Share(name, feed->log(), feed->seats().Running());
  feed->log().file().WhenWritten([done, closed] { done(closed); });
}

std::vector<journal::FeedView> Feeds::View() const {
  std::vector<journal::FeedView> views;
  for (const jobspec::FeedSpec& feed : spec_.feeds) {
    if (const LiveFeed* live = Find(feed.name)) views.push_back(live->View());
    if (const AnsweredFeed* answered = FindAnswered(feed.name)) views.push_back(answered->View());
  }
  return views;
}

// Answers sources in the next turn of the loop, so that one answer serves all changes of this turn, and sets the timer
// to the earliest deadline.
void Feeds::Arm() {
  std::optional<Instant> earliest;
  bool recheck = false;
  if (recovery_) earliest = recovery_->until();
  for (const auto& feed : feeds_) {
    if (recovery_) break;
    const auto at = feed->Deadline();
    if (at && (!earliest || *at < *earliest)) earliest = at;
    recheck = recheck || feed->sources().recheck_wanted();
  }
  if (recheck && !std::exchange(turn_posted_, true)) boost::asio::post(loop_, [this] { Turn(); });
  if (std::exchange(armed_, earliest) == earliest) return;
  timer_.cancel();
  if (!earliest) return;
  timer_.expires_after(std::max(Duration::zero(), Duration(*earliest - clock_.Now())));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_.reset();
    Turn();
  });
}

void Feeds::Turn() {
  turn_posted_ = false;
  if (recovery_) {
    RecoverIfComplete();
    return Arm();
  }
  for (const auto& feed : feeds_) feed->OnTime();
  Arm();
}

}  // namespace howdah::am
