#include "question_queue.h"

#include <algorithm>
#include <utility>

namespace howdah::feed::server {

QuestionId QuestionQueue::Ask(uint64_t exchange, int64_t block, int64_t stored, int64_t bytes, int64_t rows) {
  const QuestionId id = ++last_question_;
  questions_[id] = {.exchange = exchange, .block = block, .stored = stored, .bytes = bytes, .rows = rows};
  bytes_ += bytes + kOverhead;
  Exchange& of = exchanges_.at(exchange);
  ++of.unanswered;
  of.queued.push_back(id);
  Enqueue(exchange);
  return id;
}

bool QuestionQueue::MayAsk(uint64_t exchange, int64_t reserved) const {
  const auto at = exchanges_.find(exchange);
  return at != exchanges_.end() && (at->second.unanswered == 0 || bytes_ + reserved < buffer_);
}

void QuestionQueue::Hold(uint64_t exchange, bool hold) {
  const auto at = exchanges_.find(exchange);
  if (at == exchanges_.end()) return;
  at->second.held = hold;
  Enqueue(exchange);
}

// Adds the exchange to the turns, if it has a question to give.
void QuestionQueue::Enqueue(uint64_t exchange) {
  Exchange& of = exchanges_.at(exchange);
  if (of.held || of.queued.empty() || std::exchange(of.in_turn, true)) return;
  turns_.push_back(exchange);
}

std::vector<Question> QuestionQueue::Close(uint64_t exchange) {
  std::vector<Question> ended;
  const auto at = exchanges_.find(exchange);
  if (at == exchanges_.end()) return ended;
  for (const QuestionId id : at->second.queued) ended.push_back(Remove(id));
  exchanges_.erase(at);
  std::erase(turns_, exchange);
  for (const auto& [number, connection] : connections_) {
    for (const QuestionId id : connection.leased) {
      Question& question = questions_.at(id);
      if (question.exchange == exchange) question.wanted = false;
    }
  }
  return ended;
}

int64_t QuestionQueue::unanswered(uint64_t exchange) const {
  const auto at = exchanges_.find(exchange);
  return at == exchanges_.end() ? 0 : at->second.unanswered;
}

bool QuestionQueue::Take(uint64_t connection) {
  const auto at = connections_.find(connection);
  if (at == connections_.end() || at->second.takes.size() >= kMostTakes) return false;
  at->second.takes.push_back(++last_take_);
  return true;
}

void QuestionQueue::EndTakes() {
  for (auto& [number, connection] : connections_) connection.takes.clear();
}

std::optional<QuestionQueue::Given> QuestionQueue::Give() {
  auto to = connections_.end();
  for (auto one = connections_.begin(); one != connections_.end(); ++one) {
    if (one->second.takes.empty()) continue;
    const auto order = [](const Connection& c) { return std::pair(c.leased.size(), c.takes.front()); };
    if (to == connections_.end() || order(one->second) < order(to->second)) to = one;
  }
  if (to == connections_.end()) return std::nullopt;
  while (!turns_.empty()) {
    const uint64_t exchange = turns_.front();
    turns_.pop_front();
    Exchange& of = exchanges_.at(exchange);
    of.in_turn = false;
    if (of.held || of.queued.empty()) continue;
    const QuestionId id = of.queued.front();
    of.queued.pop_front();
    Enqueue(exchange);
    to->second.takes.pop_front();
    to->second.leased.push_back(id);
    return Given{to->first, id, questions_.at(id)};
  }
  return std::nullopt;
}

int QuestionQueue::idle() const {
  return static_cast<int>(std::count_if(connections_.begin(), connections_.end(), [](const auto& entry) {
    return entry.second.leased.empty() && !entry.second.takes.empty();
  }));
}

bool QuestionQueue::Has(uint64_t connection, QuestionId id) const {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return false;
  return std::find(at->second.leased.begin(), at->second.leased.end(), id) != at->second.leased.end();
}

std::optional<Question> QuestionQueue::Settle(uint64_t connection, QuestionId id) {
  if (!Has(connection, id)) return std::nullopt;
  std::erase(connections_.at(connection).leased, id);
  return Remove(id);
}

Question QuestionQueue::Remove(QuestionId id) {
  const Question question = questions_.at(id);
  questions_.erase(id);
  bytes_ -= question.bytes + kOverhead;
  if (const auto of = exchanges_.find(question.exchange); of != exchanges_.end()) --of->second.unanswered;
  return question;
}

std::vector<QuestionQueue::Ended> QuestionQueue::Leave(uint64_t connection) {
  std::vector<Ended> ended;
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return ended;
  const std::deque<QuestionId> leased = std::move(at->second.leased);
  connections_.erase(at);
  if (!leased.empty()) ++questions_.at(leased.front()).deaths;
  for (auto id = leased.rbegin(); id != leased.rend(); ++id) {
    const Question& question = questions_.at(*id);
    if (!question.wanted) {
      ended.push_back({Ended::Why::kUnwanted, Remove(*id)});
    } else if (question.deaths >= kMostDeaths) {
      ended.push_back({Ended::Why::kDeadly, Remove(*id)});
    } else {
      exchanges_.at(question.exchange).queued.push_front(*id);
      Enqueue(question.exchange);
    }
  }
  if (connections_.empty()) EndAll(ended);
  return ended;
}

void QuestionQueue::EndAll(std::vector<Ended>& ended) {
  for (auto& [exchange, of] : exchanges_) {
    for (const QuestionId id : std::exchange(of.queued, {})) ended.push_back({Ended::Why::kLost, Remove(id)});
    of.in_turn = false;
  }
  turns_.clear();
}

}  // namespace howdah::feed::server
