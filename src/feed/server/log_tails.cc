#include "log_tails.h"

#include <utility>

namespace howdah::feed::server {

void LogTails::OnMessage(const wire::ToExecutor& message) {
  for (const wire::FeedLogTail& tail : message.feed_log_tails()) {
    LogPiece piece{.term = tail.term(), .first = tail.first()};
    piece.records.assign(tail.records().begin(), tail.records().end());
    tails_[tail.feed()].Take(piece);
  }
}

wire::FromExecutor LogTails::Message() const {
  wire::FromExecutor message;
  wire::FeedLogTails& all = *message.mutable_feed_log_tails();
  for (const auto& [feed, kept] : tails_) {
    LogPiece piece = kept.All();
    wire::FeedLogTail& tail = *all.add_tails();
    tail.set_feed(feed);
    tail.set_term(piece.term);
    tail.set_first(piece.first);
    for (std::string& record : piece.records) tail.add_records(std::move(record));
  }
  return message;
}

}  // namespace howdah::feed::server
