#include "live_feed.h"

#include <algorithm>
#include <iostream>
#include <type_traits>
#include <variant>

#include "howdah/am/loop/job_loop.h"
#include "howdah/feed/messages.h"

namespace howdah::am {
namespace {

constexpr Duration kRetryInterval = loop::JobLoop::kRetryInterval, kNoSpaceLimit = loop::JobLoop::kNoSpaceLimit;

constexpr char kOutdated[] =
    "the application master was started again on another node, and its log of the feed lacks the newest rows; the "
    "ranks must restart from their checkpoint";

constexpr char kGone[] =
    "the request is refused: the application master regards this process as lost, or has replaced it";

// The reader of an event that an executor may send, or of an order; nullptr if it has none.
template <typename Variant>
const feed::ReaderId* ReaderOf(const Variant& any) {
  return std::visit(
      [](const auto& one) -> const feed::ReaderId* {
        if constexpr (requires { one.reader; } && !std::is_same_v<std::decay_t<decltype(one)>, feed::RankLost>) {
          return &one.reader;
        } else {
          return nullptr;
        }
      },
      any);
}

// Adds where the executor of the reader listens.
void AddPlace(const std::string& name, int reader, const wire::FeedServes& place, wire::ToExecutor& message) {
  wire::FeedPlace& out = *message.add_feed_places();
  out.set_feed(name);
  out.set_reader(reader);
  out.set_unix_path(place.unix_path());
  out.set_host(place.host());
  out.set_port(place.port());
}

void AddAction(const std::string& name, const feed::Action& action, wire::ToExecutor& message) {
  wire::FeedOrder& order = *message.add_feed_orders();
  order.set_feed(name);
  order.set_action(feed::EncodeAction(action));
}

// Whether the executor of the reader may have seen orders that the log lacks. A checkpoint of such a reader must not
// become visible: its step is not in the log.
bool IsOutdated(const FeedSeats& seats, const ContainerId& container, int rank) {
  return rank >= 0 && rank < seats.size() && seats.at(rank).container == container && seats.at(rank).outdated;
}

// Whether some reader is outdated. Readers that restart together then complete no checkpoint: the rows that this one
// has read since its last step would be in the model, and not in the log.
bool AnyOutdated(const FeedSeats& seats) {
  for (int rank = 0; rank < seats.size(); ++rank) {
    if (seats.at(rank).outdated) return true;
  }
  return false;
}

// Why a program in the container gets no position for its checkpoint. alone: as feed::Options::ranks_restart_alone.
std::optional<LiveFeed::Refusal> RefusePoint(const FeedSeats& seats, const ContainerId& container, bool alone) {
  const std::vector<int> ranks = seats.Of(container);
  if (ranks.empty()) return LiveFeed::Refusal{kGone, true};
  if (alone ? !seats.at(ranks.front()).outdated : !AnyOutdated(seats)) return std::nullopt;
  return LiveFeed::Refusal{kOutdated, true};
}

// Leaves only the rows in the position that a program has restored. Returns the list of the files whose rows it counts;
// "" if there is none.
std::string TakePlan(feed::PointFound& found) {
  wire::FeedPoint point;
  if (!point.ParseFromString(found.point)) return "";  // the ledger reports damaged bytes
  found.point = point.rows();
  return point.plan();
}

feed::SourceFailed PositionInFiles(const std::string& name, int64_t step) {
  return {"the position of the feed " + name + " in the checkpoint of step " + std::to_string(step) +
              " counts the rows of files, and this job supplies the rows in another way; continue with the same files, "
              "or begin without the checkpoint",
          /*changed=*/true};
}

}  // namespace

LiveFeed::LiveFeed(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, FeedLog log, Ports ports)
    : name_(feed.name),
      alone_(log.ledger().options().ranks_restart_alone),
      reads_files_(!feed.from.empty()),
      log_(std::move(log)),
      ports_(std::move(ports)),
      seats_(spec, feed, alone_),
      sources_(feed.name, log_, *this, ports_.clock, ports_.longest_wait),
      meter_(ports_.clock.Now()) {}

// --- the life cycle of the job ---

Status LiveFeed::Resume(const std::function<bool(const ContainerId&)>& continues, int64_t term) {
  if (log_.file().empty() && seats_.formed().generation >= 0) {
    return Failed("the log " + log_.file().path() + " of the feed " + name_ +
                  " is missing: the job cannot be continued without reading rows a second time");
  }
  if (term > 0) {
    log_.BeginTerm(term);
    Step(feed::TermBegun{});
  }
  if (seats_.formed().generation > log_.formed().generation)
    Carry(log_.Form(seats_.formed(), ports_.clock.Now()).actions);
  seats_.Continue(log_.formed());
  for (int rank = 0; rank < seats_.size(); ++rank) {
    FeedSeats::Reader& reader = seats_.at(rank);
    reader.outdated = reader.running && !continues(reader.container);
    const bool known = log_.ledger().incarnation(rank) >= 0;
    if (known && (!reader.running || (alone_ && reader.outdated))) Lose(rank, true);
    if (alone_ && !known && reader.running && !reader.outdated) Step(feed::RankStarted{rank});
  }
  sources_.Resume();
  ends_unseen_ = true;
  Step(feed::AmResumed{});
  return {};
}

std::optional<int> LiveFeed::Place(const core::StartTask& order, const core::PeerGroup& peers, bool live) {
  const auto position = seats_.PositionOf(order, peers);
  if (!position) return std::nullopt;
  if (seats_.Has(order, *position)) return position->first;
  const bool alone = seats_.RestartsAlone(order, *position);
  if (seats_.NeedsGeneration(order, *position)) {
    Form({seats_.formed().generation + 1, order.generation, position->readers}, live);
  }
  for (int rank = position->first; alone_ && live && rank < position->first + position->processes; ++rank) {
    if (log_.ledger().incarnation(rank) >= 0) Lose(rank, true);
  }
  seats_.Take(order, *position);
  if (alone) awaited_ = {position->first, ports_.clock.Now() + log_.ledger().options().lost_after};
  if (seats_.complete()) awaited_.reset();
  return position->first;
}

void LiveFeed::Form(const FeedLog::Formed& formed, bool live) {
  seats_.Form(formed);
  awaited_.reset();
  places_wanted_.clear();
  ends_unseen_ = true;
  if (!live) return;
  meter_.NoReaderWaits(ports_.clock.Now());
  Carry(log_.Form(formed, ports_.clock.Now()).actions);
  // A reader has an incarnation while its process runs, and no process has been started.
  for (int rank = 0; alone_ && rank < seats_.size(); ++rank) Lose(rank, true);
}

void LiveFeed::Lose(int rank, bool returns) {
  seats_.at(rank).returns = returns;
  meter_.Waits(ports_.clock.Now(), rank, false);
  Step(feed::RankLost{{rank, log_.ledger().incarnation(rank)}, returns});
}

void LiveFeed::Started(const ContainerId& container) {
  for (const int rank : seats_.Of(container)) {
    if (!seats_.Owns(container, rank)) continue;
    if (alone_ && seats_.at(rank).running && log_.ledger().incarnation(rank) < 0) {
      Step(feed::RankStarted{rank});
    } else {
      Step(feed::ReaderSynced{rank});
    }
  }
}

void LiveFeed::EndProcesses(const ContainerId& container, std::optional<int> attempt, std::optional<int> local_rank,
                            bool returns, bool live) {
  for (const int rank : seats_.End(container, attempt, local_rank)) {
    ends_unseen_ = true;
    seats_.at(rank).returns = returns;
    if (live && log_.ledger().incarnation(rank) >= 0) Lose(rank, returns);
    if (live) meter_.Waits(ports_.clock.Now(), rank, false);
  }
}

// A task that has ended for good does not return. While the job restarts its tasks, none has.
void LiveFeed::OnPassDone(const journal::JobView& view, bool ending) {
  if (ending && !std::exchange(ending_, true)) {
    sources_.NoteJobEnds();
    Step(feed::ReadingStopped{});
  }
  if (!ends_unseen_ || view.state != core::JobState::kRunning) return;
  ends_unseen_ = false;
  const std::vector<bool> expected = seats_.Expected(view);
  if (expected.empty()) return Step(feed::ReadingStopped{});
  for (int rank = 0; alone_ && rank < seats_.size(); ++rank) {
    const FeedSeats::Reader& reader = seats_.at(rank);
    if (!expected[static_cast<size_t>(rank)] && !reader.running && reader.returns) Lose(rank, false);
  }
}

// --- executors ---

void LiveFeed::OnConnected(const ContainerId& container) {
  sources_.Forget(container);
  for (const int rank : seats_.Of(container)) {
    if (!seats_.at(rank).outdated) {
      Step(feed::ReaderSynced{rank});
      continue;
    }
    wire::ToExecutor message;
    AddAction(name_, feed::FailFeed{feed::FailFeed::Why::kLost, kOutdated}, message);
    log_.file().WhenWritten([this, container, message] { ports_.order(container, message); });
  }
}

void LiveFeed::OnContainerGone(const ContainerId& container, bool live) {
  sources_.Forget(container);
  EndProcesses(container, std::nullopt, std::nullopt, /*returns=*/true, live);
  for (const int rank : seats_.Of(container)) seats_.at(rank).container = {};
  std::erase_if(places_wanted_, [&](const auto& wanted) { return wanted.second == container; });
}

void LiveFeed::OnServes(const ContainerId& container, const wire::FeedServes& place) {
  for (auto wanted = places_wanted_.begin(); wanted != places_wanted_.end();) {
    const auto& [rank, to] = *wanted;
    if (!seats_.Owns(container, rank)) {
      ++wanted;
      continue;
    }
    wire::ToExecutor message;
    AddPlace(name_, rank, place, message);
    ports_.order(to, message);
    wanted = places_wanted_.erase(wanted);
  }
  sources_.RecheckAll();
  ports_.changed();
}

std::optional<LiveFeed::Refusal> LiveFeed::OnEvent(const ContainerId& container, const std::string& bytes,
                                                   std::optional<bool> unix_socket) {
  auto event = feed::DecodeEvent(bytes);
  if (!event.ok()) return Refusal{event.error().message};
  const feed::ReaderId* reader = ReaderOf(*event);
  if (reader != nullptr) {
    // A message about an older generation of readers is stale. A process that is alive although its container is lost
    // must not complete a checkpoint of rows that this log does not count.
    if (!seats_.Owns(container, reader->rank)) {
      return Refusal{IsOutdated(seats_, container, reader->rank) ? kOutdated : kGone, true};
    }
    if (reader->incarnation != log_.ledger().incarnation(reader->rank)) return Refusal{kGone, true};
    if (const auto* out = std::get_if<feed::RowsHandedOut>(&*event)) {
      meter_.HandedOut(ports_.clock.Now(), *out);
    } else if (const auto* in = std::get_if<feed::RowsReceived>(&*event)) {
      meter_.Received(in->bytes, unix_socket);
      sources_.NotePartition(in->partition);
    }
  } else if (std::holds_alternative<feed::CheckpointFound>(*event) ||
             std::holds_alternative<feed::PointFound>(*event) || std::holds_alternative<feed::ReadingStopped>(*event)) {
    const std::vector<int> ranks = seats_.Of(container);
    if (ranks.empty() || !seats_.Owns(container, ranks.front())) return Refusal{kGone, true};
  } else if (const auto* ended = std::get_if<feed::PartitionEnded>(&*event)) {
    sources_.NotePartition(ended->partition);
  } else if (!std::holds_alternative<feed::SourceEnded>(*event) &&
             !std::holds_alternative<feed::SourceFailed>(*event)) {
    return Refusal{"executors do not report this event of a feed"};
  }
  auto* const found = std::get_if<feed::PointFound>(&*event);
  const std::string plan = found != nullptr ? TakePlan(*found) : "";
  // Sources get the list with the next request, and compare it with their own.
  if (found != nullptr && reads_files_) log_.SetRestoredPlan(plan);
  Step(*event);
  if (!plan.empty() && !reads_files_) Step(PositionInFiles(name_, found->step));
  return std::nullopt;
}

void LiveFeed::OnCall(const ContainerId& container, const wire::FeedCall& call) {
  const bool is_event = call.what_case() == wire::FeedCall::kEvent;
  const bool is_point = call.what_case() == wire::FeedCall::kPoint;
  const auto refusal = is_event   ? OnEvent(container, call.event())
                       : is_point ? RefusePoint(seats_, container, alone_)
                                  : std::nullopt;
  if (is_event || refusal) {
    wire::FeedReply reply;
    reply.set_id(call.id());
    if (refusal) reply.set_error(refusal->why);
    reply.set_replaced(refusal && refusal->replaced);
    return Reply(container, reply);
  }
  sources_.OnCall(container, call);
  meter_.SourcesWait(ports_.clock.Now(), sources_.any_waits());
  ports_.changed();
}

const wire::FeedServes* LiveFeed::PlaceOf(int rank) const {
  if (rank < 0 || rank >= seats_.size() || seats_.at(rank).container.text.empty()) return nullptr;
  return seats_.at(rank).outdated ? nullptr : ports_.place(seats_.at(rank).container);
}

// --- the ledger ---

void LiveFeed::Step(const feed::Event& event) {
  const auto* synced = std::get_if<feed::ReaderSynced>(&event);
  const feed::StepResult result = log_.Step(event, ports_.clock.Now());
  // The answer to a question that names its reader depends on more than the orders.
  const auto* out = std::get_if<feed::RowsHandedOut>(&event);
  if (result.changed && (out == nullptr || out->waiting)) sources_.RecheckAll(/*naming=*/true);
  Carry(result.actions, synced != nullptr ? std::optional(synced->rank) : std::nullopt);
}

void LiveFeed::AddOrder(int rank, const feed::Action& action, Messages& messages) {
  if (rank < 0 || rank >= seats_.size()) return;
  const FeedSeats::Reader& reader = seats_.at(rank);
  if (reader.container.text.empty() || reader.outdated) return;
  wire::ToExecutor& message = messages[reader.container];
  AddAction(name_, action, message);
  const auto* move = std::get_if<feed::Reassign>(&action);
  if (move == nullptr || (move->from >= 0 && seats_.Owns(reader.container, move->from))) return;
  if (const wire::FeedServes* place = PlaceOf(move->from)) {
    AddPlace(name_, move->from, *place, message);
  } else {
    places_wanted_.emplace(move->from, reader.container);
  }
}

void LiveFeed::Carry(const std::vector<feed::Action>& actions, std::optional<int> only) {
  if (!log_.file().written().ok()) OnUnwritten();
  Messages messages;
  const auto tell_all = [&](const feed::Action& action) {
    std::set<ContainerId> told;
    for (int rank = only.value_or(0); rank < (only ? *only + 1 : seats_.size()); ++rank) {
      if (told.insert(seats_.at(rank).container).second) AddOrder(rank, action, messages);
    }
    ports_.over();
  };
  for (const feed::Action& action : actions) {
    if (const auto* close = std::get_if<feed::ClosePass>(&action)) meter_.Closed(*close);
    if (const auto* request = std::get_if<feed::RequestRows>(&action)) {
      sources_.Request(*request);
    } else if (const feed::ReaderId* reader = ReaderOf(action)) {
      AddOrder(reader->rank, action, messages);
    } else {
      tell_all(action);
      const auto* failed = std::get_if<feed::FailFeed>(&action);
      sources_.End(failed != nullptr ? std::optional(failed->message) : std::nullopt);
    }
  }
  for (auto& [container, message] : messages) {
    log_.file().WhenWritten([this, to = container, message = std::move(message)] { ports_.order(to, message); });
  }
  if (!actions.empty()) sources_.RecheckAll();
  meter_.SourcesWait(ports_.clock.Now(), sources_.any_waits());
  ports_.changed();
}

void LiveFeed::Reply(const ContainerId& to, const wire::FeedReply& reply) {
  wire::ToExecutor message;
  *message.mutable_feed_reply() = reply;
  log_.file().WhenWritten([this, to, message = std::move(message)] { ports_.order(to, message); });
}

// A full file system does not end the job: messages wait until the log could be written.
void LiveFeed::OnUnwritten() {
  const Error& error = log_.file().written().error();
  const Instant now = ports_.clock.Now();
  if (!unwritten_since_) std::cerr << error.message << "; the feed " << name_ << " waits\n";
  const Instant since = unwritten_since_.value_or(now);
  unwritten_since_ = since;
  if (error.code != ErrorCode::kNoSpace || now - since >= kNoSpaceLimit) {
    return ports_.fail(error);
  }
  if (!retry_at_) retry_at_ = now + kRetryInterval;
}

// --- time ---

std::optional<Instant> LiveFeed::Deadline() const {
  std::optional<Instant> earliest = retry_at_;
  const auto awaited = awaited_ ? std::optional(awaited_->until) : std::nullopt;
  for (const auto& at : {log_.ledger().NextDeadline(), sources_.Deadline(), awaited}) {
    if (at && (!earliest || *at < *earliest)) earliest = at;
  }
  return earliest;
}

void LiveFeed::OnTime() {
  const Instant now = ports_.clock.Now();
  if (retry_at_ && now >= *retry_at_) {
    retry_at_.reset();
    if (!log_.file().Flush().ok()) {
      OnUnwritten();
    } else {
      unwritten_since_.reset();
      sources_.RecheckAll();
    }
  }
  if (awaited_ && now >= awaited_->until) {
    const int rank = std::exchange(awaited_, std::nullopt)->by;
    if (!log_.ledger().progress().over) Step(feed::RankStarted{rank});
  }
  const auto due = log_.ledger().NextDeadline();
  if (due && now >= *due) Step(feed::Ticked{});
  sources_.Recheck();
  sources_.OnTime(now);
  meter_.SourcesWait(now, sources_.any_waits());
}

journal::FeedView LiveFeed::View() const {
  const feed::Progress progress = log_.ledger().progress();
  journal::FeedView view =
      meter_.View(ports_.clock.Now(), log_.formed().readers, log_.supplier().value_or("the source"));
  view.name = name_;
  view.pass = progress.pass;
  view.rows = progress.handed_out;
  view.sources = sources_.suppliers();
  return view;
}

}  // namespace howdah::am
