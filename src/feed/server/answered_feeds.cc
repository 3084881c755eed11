#include "answered_feeds.h"

#include <utility>
#include <variant>

#include "howdah/base/text.h"

namespace howdah::feed::server {
namespace {

ReaderReply MisuseOf(const std::string& message) { return ErrorReply({ReaderError::Kind::kMisuse, message}); }

}  // namespace

AnsweredFeeds::AnsweredFeeds(boost::asio::io_context& loop, const Hub::Settings& settings,
                             const std::function<void(const wire::FromExecutor&)>& send) {
  for (const FeedPlan& plan : settings.feeds) {
    if (plan.answers) feeds_[plan.name] = std::make_unique<AnsweredFeed>(loop, plan, settings.longest_wait, send);
  }
}

AnsweredFeed* AnsweredFeeds::Find(const std::string& feed) const {
  const auto at = feeds_.find(feed);
  return at == feeds_.end() ? nullptr : at->second.get();
}

bool AnsweredFeeds::IsToken(std::string_view token) const {
  for (const auto& [name, feed] : feeds_) {
    if (IsSameToken(feed->token(), token)) return true;
  }
  return false;
}

std::vector<std::string> AnsweredFeeds::names() const {
  std::vector<std::string> names;
  for (const auto& [name, feed] : feeds_) names.push_back(name);
  return names;
}

void AnsweredFeeds::OnRegistered() {
  for (const auto& [name, feed] : feeds_) feed->OnRegistered();
}

void AnsweredFeeds::OnAttemptEnded() {
  for (const auto& [name, feed] : feeds_) feed->End();
}

// --- processes ---

void AnsweredFeeds::Serve(ConnectionId connection, const ServeRequest& request, int attempt,
                          const AnsweredFeed::Reply& reply) {
  const bool only = request.feed.empty() && feeds_.size() == 1;
  AnsweredFeed* const feed = only ? feeds_.begin()->second.get() : Find(request.feed);
  if (feed == nullptr) {
    const std::string has = feeds_.empty() ? "no feeds with answers; add `answers: true` to the feed in the job file"
                                           : "the feeds with answers " + Join(names()) + "; name one of them";
    return reply(MisuseOf(
        (request.feed.empty() ? "" : "'" + Shorten(Shown(request.feed), 64) + "' is not a feed with answers. ") +
        "The job has " + has));
  }
  if (Serves(connection)) return reply(MisuseOf("the connection serves a feed already"));
  if (request.attempt != attempt) {
    return reply(
        ErrorReply({ReaderError::Kind::kStopped, "attempt " + std::to_string(request.attempt) + " has ended"}));
  }
  connections_[connection] = feed;  // first, because the reply may close the connection
  if (!feed->Serve(connection, request.local_rank, reply)) connections_.erase(connection);
}

bool AnsweredFeeds::OnRequest(ConnectionId connection, const ReaderRequest& request, const os::files::Fd& file,
                              const AnsweredFeed::Reply& reply) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return false;
  AnsweredFeed& feed = *at->second;
  if (std::holds_alternative<TakeRequest>(request)) {
    feed.Take(connection, reply);
  } else if (const auto* answer = std::get_if<AnswerRequest>(&request)) {
    feed.Answer(connection, *answer, file, reply);
  } else if (const auto* refuse = std::get_if<RefuseRequest>(&request)) {
    feed.Refuse(connection, *refuse, reply);
  } else {
    reply(MisuseOf("the connection serves the feed '" + feed.name() +
                   "' with answers, for which there are the requests take, answer and refuse"));
  }
  return true;
}

void AnsweredFeeds::OnClosed(ConnectionId connection) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  AnsweredFeed* const feed = at->second;
  connections_.erase(at);
  feed->OnClosed(connection);
}

// --- clients ---

FlightServer::Handlers::Exchanges AnsweredFeeds::FlightHandlers() {
  FlightServer::Handlers::Exchanges handlers;
  handlers.on_exchange = [this](uint64_t id, const std::string& name, FlightServer::Handlers::Exchange exchange) {
    if (AnsweredFeed* const feed = Find(name)) return feed->OnExchange(id, std::move(exchange));
    exchange.finish(Error::WithRemedy(ErrorCode::kUsage, "the feed " + name + " has no answers",
                                      "send rows to it with DoPut, or set `answers: true` in the job file"));
  };
  handlers.on_question = [this](uint64_t id, const std::string& schema, const ArrowBlock& block) {
    for (const auto& [name, feed] : feeds_) feed->OnQuestion(id, schema, block);
  };
  handlers.on_asked = [this](uint64_t id) {
    for (const auto& [name, feed] : feeds_) feed->OnAsked(id);
  };
  handlers.on_sent = [this](uint64_t id, int64_t unsent) {
    for (const auto& [name, feed] : feeds_) feed->OnSent(id, unsent);
  };
  return handlers;
}

void AnsweredFeeds::OnCancelled(uint64_t id) {
  for (const auto& [name, feed] : feeds_) feed->OnCancelled(id);
}

}  // namespace howdah::feed::server
