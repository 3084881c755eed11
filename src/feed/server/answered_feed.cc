#include "answered_feed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "answer_file.h"
#include "howdah/base/text.h"

namespace howdah::feed::server {
namespace {

constexpr size_t kRefusalBytes = size_t{64} << 10;

constexpr char kLostText[] = "the process that had the block has ended, and no other process of its task answers";
constexpr char kDeadlyText[] = "three processes have ended while they answered this block";
static_assert(QuestionQueue::kMostDeaths == 3);

ReaderReply MisuseReply(const std::string& message) { return ErrorReply({ReaderError::Kind::kMisuse, message}); }

ReaderReply NotLeasedReply(QuestionId id) {
  return MisuseReply("question " + std::to_string(id) + " has an answer already, or another process has it");
}

Error Closed(const std::string& feed) {
  return {ErrorCode::kUnavailable, "the feed " + feed + " is closed, or its job ends"};
}

Error NoProcess(const std::string& feed) {
  return {ErrorCode::kUnavailable, "no process of this task runs that answers the feed " + feed};
}

}  // namespace

// --- ReadTurns ---

void ReadTurns::Begin(const std::function<bool(uint64_t call, int64_t bytes)>& may_read,
                      const std::function<void(uint64_t call)>& read) {
  for (size_t i = waiting_.size(); i > 0; --i) {
    const auto next = waiting_.front();
    waiting_.pop_front();
    if (!may_read(next.first, bytes_)) {
      waiting_.push_back(next);
      continue;
    }
    receiving_.insert(next);
    bytes_ += next.second;
    read(next.first);
  }
}

void ReadTurns::End(uint64_t call) {
  const auto at = receiving_.find(call);
  if (at == receiving_.end()) return;
  bytes_ -= at->second;
  receiving_.erase(at);
}

void ReadTurns::Forget(uint64_t call) {
  End(call);
  std::erase_if(waiting_, [call](const auto& waiting) { return waiting.first == call; });
}

// --- RecentSchemas ---

void RecentSchemas::Keep(const std::shared_ptr<const BlockSchema>& schema) {
  if (std::find(schemas_.begin(), schemas_.end(), schema) != schemas_.end()) return;
  schemas_.push_back(schema);
  if (schemas_.size() > kMost) schemas_.pop_front();
}

// --- AnsweredFeed ---

AnsweredFeed::AnsweredFeed(boost::asio::io_context& loop, const FeedPlan& plan, Duration longest_wait,
                           std::function<void(const wire::FromExecutor&)> send)
    : loop_(loop),
      name_(plan.name),
      longest_wait_(longest_wait),
      queue_(plan.options.buffer),
      store_("", {.memory = plan.options.buffer, .spool = 0}),
      reports_(loop, plan.name, std::move(send)) {}

// --- the AM ---

void AnsweredFeed::Begin(const wire::FeedReaders& readers, int processes) {
  attempt_.token = readers.token();
  attempt_.processes = processes;
}

void AnsweredFeed::End() {
  attempt_.processes = 0;
  attempt_.stopped = false;
  while (!calls_.empty()) EndCall(calls_.begin()->first, NoProcess(name_));
  Advance();
}

void AnsweredFeed::Stop() {
  attempt_.stopped = true;
  Advance();
}

// --- processes ---

bool AnsweredFeed::Serve(ConnectionId connection, int local_rank, const Reply& reply) {
  if (local_rank < 0 || local_rank >= attempt_.processes) {
    reply(MisuseReply("this process does not answer the feed '" + name_ +
                      "'; name its role in `roles` of the feed in the job file"));
    return false;
  }
  servers_.try_emplace(connection);
  queue_.Serve(connection);
  for (auto& [id, call] : calls_) call.limit.cancel();
  reply(ServeReply(name_));
  return true;
}

void AnsweredFeed::Take(ConnectionId connection, Reply reply) {
  if (!queue_.Take(connection)) {
    return reply(
        MisuseReply("at most " + std::to_string(QuestionQueue::kMostTakes) + " requests `take` wait at a time"));
  }
  servers_.at(connection).takes.push_back(std::move(reply));
  Advance();
}

void AnsweredFeed::Answer(ConnectionId connection, const AnswerRequest& request, const os::files::Fd& file,
                          const Reply& reply) {
  if (!queue_.Has(connection, request.question)) return reply(NotLeasedReply(request.question));
  if (request.bytes > 0 && !file.valid()) return reply(MisuseReply("the answer has no file descriptor"));
  auto payload = request.bytes > 0 ? ReadAnswerFile(file, request.bytes) : Result<std::string>(std::string());
  if (!payload.ok()) return reply(MisuseReply(payload.error().message));
  Settle(*Unlease(connection, request.question), QuestionEnd::kAnswered, "", std::move(*payload));
  reply(EmptyReply());
  Advance();
}

void AnsweredFeed::Refuse(ConnectionId connection, const RefuseRequest& request, const Reply& reply) {
  const auto question = Unlease(connection, request.question);
  if (!question) return reply(NotLeasedReply(request.question));
  Settle(*question, QuestionEnd::kRefused, std::string_view(request.message).substr(0, kRefusalBytes));
  reply(EmptyReply());
  Advance();
}

std::optional<Question> AnsweredFeed::Unlease(ConnectionId connection, QuestionId id) {
  auto question = queue_.Settle(connection, id);
  if (!question) return question;
  reports_.Answered(question->rows);
  servers_.at(connection).leases.erase(id);
  store_.Release(question->stored);
  return question;
}

void AnsweredFeed::OnClosed(ConnectionId connection) {
  const auto at = servers_.find(connection);
  if (at == servers_.end()) return;
  for (const auto& [id, stored] : at->second.leases) store_.Release(stored);
  servers_.erase(at);
  for (const QuestionQueue::Ended& ended : queue_.Leave(connection)) {
    const bool deadly = ended.why == QuestionQueue::Ended::Why::kDeadly;
    Settle(ended.question, deadly ? QuestionEnd::kRefused : QuestionEnd::kLost, deadly ? kDeadlyText : kLostText);
  }
  if (servers_.empty()) {
    for (auto& [id, call] : calls_) StartLimit(id, call);
  }
  Advance();
}

// --- clients ---

void AnsweredFeed::OnExchange(uint64_t id, Exchange exchange) {
  if (attempt_.stopped) return exchange.finish(Closed(name_));
  if (attempt_.processes == 0) return exchange.finish(NoProcess(name_));
  if (calls_.size() >= kMostExchanges) {
    return exchange.finish(Error{ErrorCode::kUnavailable, "this executor has " + std::to_string(kMostExchanges) +
                                                              " calls for the feed " + name_ + " already"});
  }
  Call& call = calls_.try_emplace(id, Call{std::move(exchange), boost::asio::steady_timer(loop_)}).first->second;
  queue_.Open(id);
  turns_.Add(id, 0);
  if (servers_.empty()) StartLimit(id, call);
  Advance();
}

void AnsweredFeed::StartLimit(uint64_t id, Call& call) {
  call.limit.expires_after(longest_wait_);
  call.limit.async_wait([this, id, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired() || !servers_.empty()) return;
    const auto at = calls_.find(id);
    if (at == calls_.end() || at->second.limit.expiry() > std::chrono::steady_clock::now()) return;
    EndCall(id, Error{ErrorCode::kUnavailable, "no process of this task has answered the feed " + name_ + " for " +
                                                   FormatDuration(longest_wait_)});
    Advance();
  });
}

void AnsweredFeed::OnQuestion(uint64_t id, const std::string& schema, const ArrowBlock& block) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  Call& call = at->second;
  turns_.End(id);
  if (attempt_.stopped) return EndCall(id, Closed(name_));
  if (block.first_row != call.next) {
    return EndCall(id, Error{ErrorCode::kUsage, "a block has the number " + std::to_string(block.first_row) +
                                                    "; the next one must have " + std::to_string(call.next)});
  }
  const auto stored = store_.Put(schema, block.header, block.body, block.rows);
  if (!stored.ok()) return EndCall(id, stored.error());
  ++call.next;
  const auto bytes = static_cast<int64_t>(block.header.size() + block.body.size());
  queue_.Ask(id, block.first_row, *stored, bytes, block.rows);
  turns_.Add(id, bytes);
  reports_.Received(bytes);
  Advance();
}

void AnsweredFeed::OnAsked(uint64_t id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  turns_.End(id);
  at->second.asked = true;
  if (queue_.unanswered(id) == 0) EndCall(id, {});
  Advance();
}

void AnsweredFeed::OnSent(uint64_t id, int64_t unsent) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  at->second.unsent = unsent;
  queue_.Hold(id, unsent > kHeldBytes);
  Advance();
}

void AnsweredFeed::OnCancelled(uint64_t id) {
  EndCall(id, {});
  Advance();
}

void AnsweredFeed::EndCall(uint64_t id, const Status& status) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  turns_.Forget(id);
  for (const Question& question : queue_.Close(id)) store_.Drop(question.stored);
  const Exchange exchange = std::move(at->second.exchange);
  calls_.erase(at);
  exchange.finish(status);
}

void AnsweredFeed::Settle(const Question& question, QuestionEnd end, std::string_view text, std::string payload) {
  store_.Drop(question.stored);
  const auto at = question.wanted ? calls_.find(question.exchange) : calls_.end();
  if (at == calls_.end()) return;
  Call& call = at->second;
  const std::string line = AnswerLine(question.block, end, text);
  call.unsent += static_cast<int64_t>(line.size() + payload.size());
  queue_.Hold(question.exchange, call.unsent > kHeldBytes);
  call.exchange.send(line, std::move(payload));
  if (call.asked && queue_.unanswered(question.exchange) == 0) EndCall(question.exchange, {});
}

// --- both ---

// A reply may close its connection, and so change everything here.
void AnsweredFeed::Advance() {
  while (const auto given = queue_.Give()) Give(*given);
  if (!attempt_.stopped) {
    turns_.Begin([this](uint64_t id, int64_t bytes) { return queue_.MayAsk(id, bytes); },
                 [this](uint64_t id) { calls_.at(id).exchange.read(); });
  }
  if (attempt_.stopped && queue_.size() == 0) EndTakes();
  reports_.Set(static_cast<int>(calls_.size()), queue_.idle(), turns_.any_waits());
}

void AnsweredFeed::Give(const QuestionQueue::Given& given) {
  Server& server = servers_.at(given.connection);
  const Reply reply = std::move(server.takes.front());
  server.takes.pop_front();
  TakenQuestion taken{given.id, given.question.exchange, given.question.block, store_.Lease(given.question.stored)};
  server.leases.emplace(given.id, given.question.stored);
  taken.is_new_schema = server.schemas.insert(taken.place.schema->id).second;
  schemas_.Keep(taken.place.schema);
  reply(TakeReply(taken));
}

void AnsweredFeed::EndTakes() {
  queue_.EndTakes();
  std::deque<Reply> ended;
  for (auto& [id, server] : servers_) {
    for (Reply& reply : std::exchange(server.takes, {})) ended.push_back(std::move(reply));
  }
  const ReaderReply stopped =
      ErrorReply({ReaderError::Kind::kStopped, "the feed " + name_ + " is closed, or its job ends"});
  for (const Reply& reply : ended) reply(stopped);
}

}  // namespace howdah::feed::server
