#include "local_feed.h"

#include <algorithm>
#include <utility>

#include "howdah/feed/messages.h"

namespace howdah::feed::server {
namespace {

constexpr size_t kMostWanted = 4096;

}  // namespace

LocalFeed::LocalFeed(const FeedPlan& plan, int processes, const std::string& spool_directory, FeedPorts& ports)
    : plan_(plan),
      ports_(ports),
      blocks_(spool_directory, plan.options.buffer * processes, plan.spool, BlockOwners()),
      taken_rows_(readers_, blocks_, *this),
      moves_(ports.loop, MovePorts()) {}

// --- the AM ---

LocalReader* LocalFeed::Find(int rank) const {
  const auto at = readers_.find(rank);
  return at == readers_.end() ? nullptr : at->second.get();
}

// Orders may come before the start of the attempt.
LocalReader& LocalFeed::ReaderAt(int rank) {
  if (LocalReader* reader = Find(rank)) return *reader;
  LocalReader::Owner& owner = *this;
  LocalReader& reader = *(readers_[rank] = std::make_unique<LocalReader>(ports_.loop, plan_.options, rank, owner));
  if (end_) Apply(reader, reader.receiver().Do(*end_));
  return reader;
}

void LocalFeed::Begin(const wire::FeedReaders& readers, int processes) {
  seat_ = LocalSeat(readers, processes);
  const int first = readers.first();
  for (auto at = readers_.begin(); at != readers_.end();) {
    const int rank = at->first;
    if (seat_.Has(rank)) {
      ++at;
      continue;
    }
    at->second->End();
    at = readers_.erase(at);
    blocks_.DropAllOf(rank);
  }
  for (int rank = first; rank < first + processes; ++rank) ReaderAt(rank);
}

void LocalFeed::End() {
  seat_.End();
  end_.reset();
  wanted_by_.clear();
  for (const auto& [rank, reader] : readers_) reader->End();
  blocks_.Trim();
}

void LocalFeed::Do(const Action& order) {
  const auto apply = [&](LocalReader& reader) { Apply(reader, reader.receiver().Do(order)); };
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.reader; }) {
          apply(ReaderAt(one.reader.rank));
        } else {
          end_ = order;
          for (const auto& [rank, reader] : readers_) apply(*reader);
        }
      },
      order);
}

void LocalFeed::SetPlace(int reader, FlightAddress place) {
  places_[reader] = std::move(place);
  moves_.TryAgain();
}

void LocalFeed::Resync() {
  for (const auto& [rank, reader] : readers_) reader->Resync();
}

void LocalFeed::Send(const Event& event) {
  wire::FromExecutor message;
  message.mutable_feed_event()->set_feed(plan_.name);
  message.mutable_feed_event()->set_event(EncodeEvent(event));
  if (unix_socket_ && std::holds_alternative<RowsReceived>(event)) {
    message.mutable_feed_event()->set_unix_socket(*unix_socket_);
  }
  ports_.send(message);
}

void LocalFeed::Confirm(const Event& event, std::function<void(Status)> done) {
  wire::FeedCall call;
  call.set_feed(plan_.name);
  call.set_event(EncodeEvent(event));
  ports_.calls.Add(std::move(call), [done = std::move(done)](const wire::FeedReply& reply) {
    done(reply.error().empty() ? Status() : Status(Failed(reply.error())));
  });
}

void LocalFeed::Apply(LocalReader& reader, Receiver::Effects effects) {
  reader.SendEvents(effects.events);
  for (const BlockId block : effects.acknowledged) {
    AnswerPut(block, reader.receiver().has_credit() ? PutAnswer::kAcknowledged : PutAnswer::kAcknowledgedNoCredit);
  }
  for (const BlockId block : effects.dropped) {
    if (blocks_.Drop(reader.rank(), block)) AnswerPut(block, PutAnswer::kRefused);
  }
  for (const Reassign& move : effects.fetch) moves_.Add(move);
  if (effects.failed) {
    std::vector<BlockId> waiting;
    for (const auto& [id, put] : puts_) {
      if (put.reader == reader.rank()) waiting.push_back(id);
    }
    for (const BlockId id : waiting) AnswerPut(id, Failed(effects.failed->message));
    return reader.Fail(*effects.failed);
  }
  if (effects.wake) reader.Wake();
}

FeedBlocks::Owners LocalFeed::BlockOwners() {
  return {
      .needs_now = [this](int reader, BlockId id) { return Find(reader)->receiver().NeededNow(id); },
      .on_moved = [this](int reader, BlockId id) { Apply(*Find(reader), Find(reader)->receiver().MovedToDisk(id)); },
      .on_lost = [this](int reader, BlockId id) { Apply(*Find(reader), Find(reader)->receiver().Lost(id)); },
      .on_full =
          [this](const Error& error) {
            ports_.log("feed " + plan_.name + ": " + error.message +
                       "; rows that do not fit are requested from the source again");
          }};
}

void LocalFeed::AnswerPut(BlockId block, const Result<PutAnswer>& answer) {
  const auto at = puts_.find(block);
  if (at == puts_.end()) return;
  const Put put = std::move(at->second);
  puts_.erase(at);
  put.answer(answer);
}

// --- processes ---

LocalReader* LocalFeed::ReaderOf(int local_rank) {
  const int reader = seat_.ReaderOf(local_rank);
  return reader < 0 ? nullptr : Find(reader);
}

OpenedReader LocalFeed::Opened(const LocalReader& reader, int64_t pass, bool reads_files) const {
  OpenedReader opened{
      .feed = plan_.name, .reader = reader.rank(), .readers = seat_.readers(), .passes = {}, .pass = pass};
  if (!plan_.options.stream) opened.passes = plan_.options.passes;
  opened.split = plan_.options.split;
  opened.remainder = plan_.options.remainder;
  if (reads_files) {
    opened.source = {plan_.files, plan_.options.shuffle > 0, plan_.options.seed, seat_.token(), ports_.address};
  }
  return opened;
}

void LocalFeed::GetPoint(int64_t step, std::function<void(ReaderReply)> reply) {
  wire::FeedCall call;
  call.set_feed(plan_.name);
  call.set_point(step);
  ports_.calls.Add(std::move(call), [reply = std::move(reply)](const wire::FeedReply& answer) {
    if (answer.error().empty()) return reply(PointReply(answer.point()));
    // The program completes its checkpoint without a position, but not if the AM has replaced it.
    const auto kind = answer.replaced() ? ReaderError::Kind::kLost : ReaderError::Kind::kFailed;
    reply(ErrorReply({kind, answer.error()}));
  });
}

// --- sources ---

void LocalFeed::NoteWanted(int64_t pass, PartitionId partition, int reader) {
  if (wanted_by_.size() >= kMostWanted) wanted_by_.clear();
  wanted_by_[{pass, partition}] = reader;
}

// The readers that may take a block: the wanted one comes first, then the others in their order.
std::vector<LocalReader*> LocalFeed::Takers(const PutTarget& target) const {
  std::vector<LocalReader*> takers;
  const auto wanted = wanted_by_.find({target.pass, target.partition});
  for (const auto& [rank, reader] : readers_) {
    if (!reader->receiver().has_credit() || (target.reader && *target.reader != rank)) continue;
    const bool first = wanted != wanted_by_.end() && wanted->second == rank;
    takers.insert(first ? takers.begin() : takers.end(), reader.get());
  }
  return takers;
}

Result<std::optional<BlockStore::Room>> LocalFeed::Reserve(const PutTarget& target, const std::string& schema,
                                                           const ArrowBlock& block, int64_t body_bytes) {
  if (Takers(target).empty()) return std::optional<BlockStore::Room>();
  HOWDAH_TRY(BlockStore::Room room, blocks_.Reserve(schema, block, body_bytes));
  return std::optional(std::move(room));
}

void LocalFeed::OnBlock(const PutTarget& target, const std::string& schema, const ArrowBlock& block,
                        std::function<void(Result<PutAnswer>)> answer) {
  const std::vector<LocalReader*> takers = Takers(target);
  if (takers.empty()) {
    if (block.stored) blocks_.Unreserve(block.stored->id);
    return answer(PutAnswer::kRefused);
  }
  const auto stored = blocks_.Add(target.partition, schema, block);
  if (!stored.ok()) return answer(stored.error());
  const BlockId id = *stored;
  const FeedBlocks::Block taken = blocks_.Get(id);
  for (LocalReader* reader : takers) {
    auto effects = reader->receiver().Take(id, target.pass, taken.partition, taken.rows, taken.bytes, taken.digest);
    if (!effects) continue;
    blocks_.Own(reader->rank(), id);
    puts_[id] = {reader->rank(), std::move(answer)};
    unix_socket_ = block.unix_socket;
    Apply(*reader, std::move(*effects));
    unix_socket_.reset();
    return blocks_.Trim();
  }
  blocks_.Discard(id);
  answer(PutAnswer::kRefused);
}

// --- rows of other readers ---

std::deque<BlockId> LocalFeed::Find(const GetTarget& get) const {
  std::deque<BlockId> found;
  std::set<BlockId> seen;
  for (const auto& [rank, reader] : readers_) {
    for (const BlockId id : BlocksOf(reader->receiver().Find(get.pass, get.partition, get.rows))) {
      if (seen.insert(id).second) found.push_back(id);
    }
  }
  return found;
}

RowMoves::Ports LocalFeed::MovePorts() {
  return {.wanted = [this](const Reassign& move) { return taken_rows_.Wanted(move); },
          .take_here = [this](const Reassign& move) { return taken_rows_.TakeHere(move); },
          .get =
              [this](const Reassign& move, FlightClient::OnBlock on_block, FlightClient::OnDone on_done) {
                const auto place = places_.find(move.from);
                if (place == places_.end()) return false;
                ports_.get(place->second, seat_.token(), {plan_.name, move.pass, move.partition, move.rows},
                           std::move(on_block), std::move(on_done));
                return true;
              },
          .store = [this](const Reassign& move, const std::string& schema,
                          const ArrowBlock& block) -> std::optional<BlockId> {
            const auto stored = taken_rows_.Store(move, schema, block);
            if (stored.ok()) return *stored;
            ports_.log("feed " + plan_.name + ": " + stored.error().message);
            return std::nullopt;
          },
          .on_arrived = [this](const Reassign& move,
                               const std::vector<BlockId>& blocks) { taken_rows_.Arrived(move, blocks); },
          .drop = [this](const Reassign& move, const std::vector<BlockId>& blocks) { taken_rows_.Drop(move, blocks); },
          .log = [this](const std::string& line) { ports_.log("feed " + plan_.name + ": " + line); }};
}

}  // namespace howdah::feed::server
