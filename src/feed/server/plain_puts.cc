#include "plain_puts.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/feed/messages.h"

namespace howdah::feed::server {
namespace {

constexpr auto kPause = std::chrono::milliseconds(200);  // before another try, after an error of another executor

Error IsOver(const std::string& feed) {
  return {ErrorCode::kNotFound, "no further rows of the feed " + feed +
                                    " are wanted: it was closed, or its ranks have "
                                    "ended"};
}

bool AreMissing(const Answer& answer, Rows rows) {
  return std::any_of(answer.missing.begin(), answer.missing.end(),
                     [&rows](const Rows& missing) { return missing.from < rows.to && rows.from < missing.to; });
}

}  // namespace

PlainPuts::~PlainPuts() {
  alive_.reset();
  for (const auto& [id, put] : puts_) calls_.Cancel(put.supply_call);
}

FlightServer::Handlers::Plain PlainPuts::FlightHandlers() {
  return {.on_begin = [this](uint64_t id, const std::string& feed, const std::string& client,
                             std::function<void(Status)> finish) { Begin(id, feed, client, std::move(finish)); },
          .on_block =
              [this](uint64_t id, const std::string& schema, ArrowBlock block,
                     std::function<void(Result<int64_t>)> answer) {
                Take(id, schema, std::move(block), std::move(answer));
              },
          .on_end = [this](uint64_t id) { End(id, Status()); }};
}

void PlainPuts::Begin(uint64_t id, const std::string& feed, const std::string& client,
                      std::function<void(Status)> finish) {
  Put& put = puts_[id];
  put.feed = feed;
  put.name = "an Arrow Flight client at " + client;
  put.finish = std::move(finish);
  wire::FeedCall send;
  send.set_feed(feed);
  send.mutable_send();
  put.send_call = calls_.Add(std::move(send), [this, id](const wire::FeedReply& reply) { OnNumber(id, reply); });
}

void PlainPuts::OnNumber(uint64_t id, const wire::FeedReply& reply) {
  Put* const put = Find(id);
  if (put == nullptr) return;
  if (!reply.error().empty()) return Erase(id, Error{ErrorCode::kNotFound, reply.error()});
  if (reply.partition() < 0) return Erase(id, IsOver(put->feed));
  put->partition = reply.partition();
  wire::FeedCall supply;
  supply.set_feed(put->feed);
  supply.mutable_supply()->set_name(put->name);
  put->supply_call = calls_.Add(std::move(supply), [this, id](const wire::FeedReply& more) { OnSupply(id, more); });
  Continue(id);
}

void PlainPuts::OnSupply(uint64_t id, const wire::FeedReply& reply) {
  Put* const put = Find(id);
  if (put == nullptr) return;
  if (!reply.error().empty()) return End(id, Failed(reply.error()));
  if (!reply.failed().empty()) return Erase(id, Failed("the feed " + put->feed + " has failed: " + reply.failed()));
  if (reply.over()) Erase(id, IsOver(put->feed));
}

void PlainPuts::Take(uint64_t id, const std::string& schema, ArrowBlock block,
                     std::function<void(Result<int64_t>)> answer) {
  Put* const put = Find(id);
  if (put == nullptr || put->ends) return answer(Failed("the call has ended"));
  put->schema = schema;
  put->block = Block{std::move(block), std::move(answer)};
  Continue(id);
}

void PlainPuts::OnCancelled(uint64_t id) {
  if (Find(id) != nullptr) End(id, Failed("the client is gone"));
}

void PlainPuts::End(uint64_t id, Status result) {
  Put* const put = Find(id);
  if (put == nullptr || std::exchange(put->ends, true)) return;
  put->result = std::move(result);
  Continue(id);
}

void PlainPuts::Continue(uint64_t id) {
  Put* const put = Find(id);
  if (put == nullptr || !put->partition || put->placing) return;
  // A block that no reader has may be dropped when the call ends.
  if (put->ends) return Finish(id, *put);
  if (put->block && !put->asking) Ask(id, *put);
}

void PlainPuts::Ask(uint64_t id, Put& put) {
  put.asking = true;
  wire::FeedCall ask;
  ask.set_feed(put.feed);
  ask.mutable_ask()->set_partition(*put.partition);
  ask.mutable_ask()->set_near(ports_.near(put.feed));
  put.ask_call = calls_.Add(std::move(ask), [this, id](const wire::FeedReply& reply) { OnAsked(id, reply); });
}

void PlainPuts::OnAsked(uint64_t id, const wire::FeedReply& reply) {
  Put* const put = Find(id);
  if (put == nullptr || !put->block) return;
  put->asking = false;
  put->ask_call = 0;
  const auto answer = DecodeAnswer(reply.answer());
  if (!reply.error().empty()) return End(id, Failed(reply.error()));
  if (!answer.ok()) return End(id, answer.error());
  const ArrowBlock& block = put->block->block;
  switch (answer->what) {
    case Answer::What::kSend:
      // After an error of another executor it is not known whether it has taken the block.
      if (!AreMissing(*answer, {block.first_row, block.first_row + block.rows})) return Accepted(id, *put);
      return Place(id, *put, answer->rank, {reply.path(), reply.host(), static_cast<uint16_t>(reply.port())});
    case Answer::What::kWait:
      return Continue(id);
    default:
      return Erase(id, IsOver(put->feed));
  }
}

void PlainPuts::Place(uint64_t id, Put& put, int reader, const FlightAddress& address) {
  const PutTarget target{put.feed, 0, *put.partition, reader};
  put.placing = true;
  const OnAnswer on_answer = [this, id, alive = std::weak_ptr(alive_)](const Result<PutAnswer>& answer) {
    if (!alive.expired()) OnPlaced(id, answer);
  };
  if (ports_.put_here(target, put.schema, put.block->block, on_answer)) return;
  const bool same = put.send && put.remote.second == target && put.remote.first.unix_path == address.unix_path &&
                    put.remote.first.host == address.host && put.remote.first.port == address.port;
  if (!same) {
    put.send = ports_.open(address, target, put.schema);
    put.remote = {address, target};
  }
  put.send(put.block->block, on_answer);
}

void PlainPuts::OnPlaced(uint64_t id, const Result<PutAnswer>& answer) {
  Put* const put = Find(id);
  if (put == nullptr) return;
  put->placing = false;
  if (answer.ok() && *answer != PutAnswer::kRefused) return Accepted(id, *put);
  if (answer.ok()) return Continue(id);
  put->send = nullptr;
  const bool passes = answer.error().code == ErrorCode::kUnavailable || answer.error().code == ErrorCode::kTimeout;
  if (put->ends) return Continue(id);
  if (!passes) return End(id, answer.error());
  put->asking = true;
  put->pause = std::make_unique<boost::asio::steady_timer>(loop_, kPause);
  put->pause->async_wait([this, id, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    Put* const waits = error || alive.expired() ? nullptr : Find(id);
    if (waits == nullptr) return;
    waits->asking = false;
    Continue(id);
  });
}

void PlainPuts::Accepted(uint64_t id, Put& put) {
  put.rows += put.block->block.rows;
  const auto answer = std::move(put.block->answer);
  const int64_t rows = put.rows;
  put.block.reset();
  answer(rows);
  Continue(id);
}

// The partition has the rows that were accepted.
void PlainPuts::Finish(uint64_t id, Put& put) {
  if (std::exchange(put.finishing, true)) return;
  if (put.ask_call != 0) calls_.Cancel(put.ask_call);
  wire::FeedCall ended;
  ended.set_feed(put.feed);
  ended.set_event(EncodeEvent(PartitionEnded{0, *put.partition, put.rows, {}}));
  calls_.Add(std::move(ended), [this, id, alive = std::weak_ptr(alive_)](const wire::FeedReply& reply) {
    if (alive.expired()) return;
    const Put* const done = Find(id);
    if (done == nullptr) return;
    Erase(id, done->result.ok() && !reply.error().empty() ? Status(Failed(reply.error())) : done->result);
  });
}

void PlainPuts::Erase(uint64_t id, const Status& result) {
  const auto at = puts_.find(id);
  if (at == puts_.end()) return;
  const Put put = std::move(at->second);
  puts_.erase(at);
  if (put.block) put.block->answer(Failed("the call has ended"));
  for (const uint64_t call : {put.send_call, put.ask_call, put.supply_call}) {
    if (call != 0) calls_.Cancel(call);
  }
  put.finish(result);
}

}  // namespace howdah::feed::server
