#include "local_sources.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "block_digest.h"
#include "howdah/base/bytes.h"
#include "howdah/base/text.h"

namespace howdah::feed::server {
namespace {

constexpr size_t kLongestResult = size_t{100} << 10;

void Refuse(const std::function<void(ReaderReply)>& reply, int64_t id, const Error& error) {
  reply({{SourceErrorReply(id, error)}});
}

}  // namespace

void LocalSources::OnRequest(ConnectionId connection, std::string_view message, Reply reply) {
  SourceRequest parsed = ParseSourceRequest(message);
  if (!parsed.request) return Refuse(reply, parsed.id, parsed.request.error());
  SourceRequest::Content& request = *parsed.request;
  if (auto* token = std::get_if<TokenRequest>(&request)) {
    connections_[connection].token = std::move(token->token);
    return reply({{SourceReply(parsed.id)}});
  }
  if (auto* put = std::get_if<PutRequest>(&request)) {
    return Put(connection, parsed.id, std::move(*put), std::move(reply));
  }
  if (const auto* written = std::get_if<WrittenRequest>(&request)) {
    return Written(connection, parsed.id, written->put, std::move(reply));
  }
  Act(connection, parsed.id, std::get<ActionRequest>(request), reply);
}

Status LocalSources::Check(const Connection& from, const std::string& feed) const {
  if (!ports_.handlers.has_tokens()) {
    return Error{ErrorCode::kUnavailable, "the task of this executor has not started yet"};
  }
  if (ports_.handlers.authorize(feed, from.token)) return {};
  return Error{ErrorCode::kUsage, "the token is not that of the feed '" + Shorten(Shown(feed), 64) + "' of this job"};
}

void LocalSources::OnClosed(ConnectionId connection) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  const Connection closed = std::move(at->second);
  connections_.erase(at);
  std::erase_if(waiting_, [connection](const Waiting& one) { return one.connection == connection; });
  for (const auto& [id, one] : closed.announced) {
    ports_.unreserve(one.put.target.feed, one.block);
    unanswered_ -= one.put.body_bytes;
  }
  for (const uint64_t action : closed.actions) ports_.handlers.on_cancelled(action);
  Admit();
}

void LocalSources::Act(ConnectionId connection, int64_t id, const ActionRequest& action, const Reply& reply) {
  const auto feed = ReadFeedName(action.body);
  if (!feed) return Refuse(reply, id, feed.error());
  Connection& from = connections_[connection];
  const Status allowed = Check(from, *feed);
  if (!allowed.ok()) return Refuse(reply, id, allowed.error());
  if (action.type == "supply") {
    return Refuse(reply, id, {ErrorCode::kUsage, "the action 'supply' has several results; use Arrow Flight"});
  }
  const uint64_t number = ++last_action_;
  from.actions.insert(number);
  // The first result is the reply, or the error.
  const auto answer = [this, alive = std::weak_ptr(alive_), connection, number, reply](std::string text) {
    if (alive.expired()) return;
    const auto at = connections_.find(connection);
    if (at != connections_.end() && at->second.actions.erase(number) > 0) reply({{std::move(text)}});
  };
  FlightServer::Handlers::Call call;
  call.reply = [answer, id](const std::string& json) {
    const Error large = {ErrorCode::kUsage,
                         "the result of the action has " + FormatBytes(static_cast<int64_t>(json.size()))};
    answer(json.size() > kLongestResult ? SourceErrorReply(id, large) : SourceResultReply(id, json));
  };
  call.finish = [answer, id](const Status& end) {
    answer(SourceErrorReply(id, end.ok() ? Failed("the action has no result") : end.error()));
  };
  ports_.handlers.on_action(number, action.type, action.body, std::move(call));
}

// --- blocks ---

void LocalSources::Put(ConnectionId connection, int64_t id, PutRequest put, Reply reply) {
  Connection& from = connections_[connection];
  const Status allowed = Check(from, put.target.feed);
  if (!allowed.ok()) return Refuse(reply, id, allowed.error());
  if (from.puts >= kMostPuts || from.announced.contains(id)) {
    return Refuse(reply, id, {ErrorCode::kUsage, "the connection has too many blocks without an answer"});
  }
  ++from.puts;
  waiting_.push_back({connection, id, std::move(put), std::move(reply)});
  Admit();
}

void LocalSources::Admit() {
  while (!waiting_.empty()) {
    const int64_t bytes = waiting_.front().put.body_bytes;
    if (unanswered_ > 0 && bytes > kUnansweredBytes - unanswered_) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    unanswered_ += bytes;
    if (next.put.has_body) {
      Hand(next.connection, next.id, std::move(next.put), std::move(next.reply));
    } else {
      Announce(std::move(next));
    }
  }
}

void LocalSources::Announce(Waiting waiting) {
  const auto room = ports_.reserve(waiting.put);
  if (!room || !*room) {
    Answered(waiting.connection, waiting.put.body_bytes);
    if (!room) return Refuse(waiting.reply, waiting.id, room.error());
    const Rows rows{waiting.put.block.first_row, waiting.put.block.first_row + waiting.put.block.rows};
    return waiting.reply({{SourceAnswerReply(waiting.id, PutResultText(PutAnswer::kRefused, rows))}});
  }
  Connection& to = connections_.at(waiting.connection);
  ReaderMessage message{SourceWriteReply(waiting.id, (*room)->offset)};
  if (to.files.insert(waiting.put.target.feed).second) message.files.push_back((*room)->file);
  to.announced[waiting.id] = {std::move(waiting.put), (*room)->block};
  waiting.reply({std::move(message)});
}

void LocalSources::Written(ConnectionId connection, int64_t id, int64_t put, Reply reply) {
  const auto from = connections_.find(connection);
  if (from == connections_.end() || !from->second.announced.contains(put)) {
    return Refuse(reply, id, {ErrorCode::kUsage, "no block was announced with the id " + std::to_string(put)});
  }
  Announced written = std::move(from->second.announced.extract(put).mapped());
  written.put.block.stored = ArrowBlock::Stored{written.block, written.put.body_bytes};
  Hand(connection, id, std::move(written.put), std::move(reply));
}

void LocalSources::ComputeDigest(PutRequest& put) const {
  ArrowBlock& block = put.block;
  const Result<uint32_t> crc =
      block.stored ? ports_.crc_of_body(put.target.feed, block.stored->id) : Result<uint32_t>(CrcOfBody(block.body));
  if (crc) block.digest = DigestOf(block.first_row, block.rows, *crc);
}

// Offers a block to the readers.
void LocalSources::Hand(ConnectionId connection, int64_t id, PutRequest put, Reply reply) {
  const Rows rows{put.block.first_row, put.block.first_row + put.block.rows};
  if (put.block.digest_of_body) ComputeDigest(put);
  const auto digest = put.block.digest_of_body ? put.block.digest : std::nullopt;
  auto answer = [this, alive = std::weak_ptr(alive_), connection, id, rows, digest, bytes = put.body_bytes,
                 reply = std::move(reply)](const Result<PutAnswer>& result) {
    if (alive.expired()) return;
    Answered(connection, bytes);
    reply({{SourceAnswerReply(id, PutResultText(result, rows, digest))}});
    Admit();
  };
  ports_.handlers.on_block(put.target, put.schema, std::move(put.block), std::move(answer));
}

void LocalSources::Answered(ConnectionId connection, int64_t bytes) {
  unanswered_ -= bytes;
  const auto at = connections_.find(connection);
  if (at != connections_.end()) --at->second.puts;
}

}  // namespace howdah::feed::server
