#include "feed_tails.h"

#include <algorithm>

namespace howdah::am {

bool FeedTails::AddTail(const std::string& feed, const FeedLog& log, const ContainerId& to, wire::ToExecutor& message) {
  const feed::LogTail& tail = log.tail();
  if (tail.term() == 0) return false;
  const auto [sent, is_first] = sent_[to].try_emplace(feed, tail.end());
  if (!is_first && sent->second == tail.end()) return false;
  feed::LogPiece piece = is_first ? tail.AtFirst() : tail.From(sent->second);
  sent->second = piece.end();
  wire::FeedLogTail& out = *message.add_feed_log_tails();
  out.set_feed(feed);
  out.set_term(piece.term);
  out.set_first(piece.first);
  for (std::string& record : piece.records) out.add_records(std::move(record));
  return true;
}

void FeedTails::Order(const std::string& feed, const FeedLog& log, const ContainerId& to,
                      const wire::ToExecutor& message) {
  wire::ToExecutor complete = message;
  AddTail(feed, log, to, complete);
  send_(to, complete);
}

void FeedTails::Share(const std::string& feed, FeedLog& log, const std::set<ContainerId>& containers) {
  log.file().WhenWritten([this, feed, &log, containers] {
    for (const ContainerId& container : containers) {
      wire::ToExecutor message;
      if (AddTail(feed, log, container, message)) send_(container, message);
    }
  });
}

void FeedTails::Forget(const ContainerId& container) { sent_.erase(container); }

std::string FeedRecovery::Awaited() const {
  std::string names;
  for (const ContainerId& container : awaited_) names += (names.empty() ? "" : ", ") + container.text;
  return names;
}

void FeedRecovery::Add(const ContainerId& from, const wire::FeedLogTails& tails) {
  // Longer logs do not exist, and sums of such numbers do not overflow.
  constexpr int64_t kMostRecords = int64_t{1} << 60;
  auto& pieces = tails_[from];
  pieces.clear();
  for (const wire::FeedLogTail& tail : tails.tails()) {
    if (tail.first() < 0 || tail.first() > kMostRecords || tail.term() < 0) continue;
    feed::LogPiece& piece = pieces[tail.feed()];
    piece = {.term = tail.term(), .first = tail.first()};
    piece.records.assign(tail.records().begin(), tail.records().end());
  }
  awaited_.erase(from);
}

void FeedRecovery::Forget(const ContainerId& container) {
  awaited_.erase(container);
  Drop(container);
}

void FeedRecovery::Drop(const ContainerId& from) {
  std::erase_if(held_, [&from](const auto& held) { return held.first == from; });
}

void FeedRecovery::Release() {
  while (!held_.empty()) {
    const std::function<void()> message = std::move(held_.front().second);
    held_.pop_front();
    message();
  }
}

Status FeedRecovery::Extend(const std::string& feed, FeedLog& log) const {
  std::vector<feed::LogPiece> pieces;
  for (const auto& [container, tails] : tails_) {
    if (const auto piece = tails.find(feed); piece != tails.end()) pieces.push_back(piece->second);
  }
  return log.Extend(feed::MissingRecords(log.tail().term(), log.tail().end(), pieces));
}

bool FeedRecovery::Covers(const std::string& feed, const FeedLog& log, const ContainerId& container) const {
  const auto tails = tails_.find(container);
  if (tails == tails_.end()) return false;
  const auto piece = tails->second.find(feed);
  return piece == tails->second.end() || feed::Covers(log.tail().terms(), log.tail().end(), piece->second);
}

int64_t FeedRecovery::NextTerm(const std::string& feed, int64_t term) const {
  for (const auto& [container, tails] : tails_) {
    if (const auto piece = tails.find(feed); piece != tails.end()) term = std::max(term, piece->second.term + 1);
  }
  return term;
}

}  // namespace howdah::am
