#include "local_feeds.h"

#include <utility>
#include <variant>
#include <vector>

#include "howdah/base/text.h"
#include "howdah/feed/messages.h"

namespace howdah::feed::server {
namespace {

template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overload(Fs...) -> Overload<Fs...>;  // clang 16 does not deduce the arguments of aggregates

using ErrorKind = ReaderError::Kind;

// The reply to a request that is done when the AM has confirmed it.
std::function<void(Status)> Confirmed(std::function<void(ReaderReply)> reply) {
  return [reply = std::move(reply)](const Status& done) {
    reply(done.ok() ? EmptyReply() : ErrorReply({ErrorKind::kStopped, done.error().message}));
  };
}

}  // namespace

LocalFeeds::LocalFeeds(boost::asio::io_context& loop, const Hub::Settings& settings, const Hub::Handlers& handlers,
                       Get get)
    : processes_(settings.processes),
      calls_(handlers.send),
      ports_{loop, calls_, handlers.send, handlers.log, std::move(get)},
      actions_(calls_, {.near =
                            [this](const std::string& feed) {
                              const LocalFeed* found = Find(feed);
                              return found == nullptr ? -1 : found->near();
                            },
                        .on_wanted =
                            [this](const std::string& feed, int64_t pass, PartitionId partition, int reader) {
                              if (LocalFeed* found = Find(feed)) found->NoteWanted(pass, partition, reader);
                            }}) {
  for (const FeedPlan& plan : settings.feeds) {
    feeds_[plan.name] = std::make_unique<LocalFeed>(plan, processes_, settings.spool_directory, ports_);
  }
}

LocalFeed* LocalFeeds::Find(const std::string& feed) const {
  const auto at = feeds_.find(feed);
  return at == feeds_.end() ? nullptr : at->second.get();
}

// --- the AM ---

void LocalFeeds::OnRegistered() {
  for (const auto& [name, feed] : feeds_) feed->Resync();
  calls_.SendAgain();
}

void LocalFeeds::OnMessage(const wire::ToExecutor& message) {
  for (const wire::FeedPlace& place : message.feed_places()) {
    LocalFeed* const feed = Find(place.feed());
    const FlightAddress address{place.unix_path(), place.host(), static_cast<uint16_t>(place.port())};
    if (feed != nullptr) feed->SetPlace(place.reader(), address);
  }
  for (const wire::FeedOrder& order : message.feed_orders()) {
    LocalFeed* const feed = Find(order.feed());
    if (feed == nullptr) continue;
    const auto action = DecodeAction(order.action());
    action.ok() ? feed->Do(*action) : ports_.log("feed " + order.feed() + ": " + action.error().message);
  }
  if (message.has_feed_reply()) calls_.OnMessage(message.feed_reply());
}

void LocalFeeds::OnStart(const wire::Start& start) {
  attempt_ = start.attempt();
  for (const wire::FeedReaders& readers : start.feeds()) {
    if (LocalFeed* feed = Find(readers.feed())) feed->Begin(readers, processes_);
  }
}

void LocalFeeds::OnAttemptEnded() {
  attempt_ = -1;
  for (const auto& [name, feed] : feeds_) feed->End();
}

void LocalFeeds::OnStepLine(int local_rank, int64_t step) {
  for (const auto& [name, feed] : feeds_) {
    if (LocalReader* reader = feed->ReaderOf(local_rank)) reader->OnStepLine(step);
  }
}

void LocalFeeds::OnCheckpointLine(int local_rank, int64_t step) {
  for (const auto& [name, feed] : feeds_) {
    if (LocalReader* reader = feed->ReaderOf(local_rank)) reader->OnCheckpointLine(step);
  }
}

// --- processes ---

void LocalFeeds::OnRequest(ConnectionId connection, std::string_view text, std::function<void(ReaderReply)> reply) {
  const NumberedRequest numbered = ParseReaderRequest(text);
  const Request request{connection, numbered.id, [id = numbered.id, reply = std::move(reply)](ReaderReply answer) {
                          reply(WithId(id, std::move(answer)));
                        }};
  if (!numbered.request.ok()) return request.reply(ErrorReply({ErrorKind::kMisuse, numbered.request.error().message}));
  if (const auto* open = std::get_if<OpenRequest>(&*numbered.request)) return Open(*open, request);
  const auto at = connections_.find(connection);
  if (at == connections_.end())
    return request.reply(ErrorReply({ErrorKind::kMisuse, "the connection has not opened a feed"}));
  if (const auto* release = std::get_if<ReleaseRequest>(&*numbered.request)) {
    at->second.feed->blocks().Release(at->second.holder, *release);
    return request.reply(EmptyReply());
  }
  LocalReader* const reader = at->second.feed->ReaderOf(at->second.local_rank);
  if (reader == nullptr)
    return request.reply(ErrorReply({ErrorKind::kStopped, "the attempt of this process has ended"}));
  std::visit(Overload{[&](const NextRequest& next) { Next(next, *reader, request); },
                      [&](const ReturnedRequest& returned) {
                        reader->Returned(returned.pass, returned.rows);
                        request.reply(EmptyReply());
                      },
                      [&](const StepRequest& step) { reader->Step(step, Confirmed(request.reply)); },
                      [&](const CheckpointedRequest& checkpointed) {
                        reader->Checkpointed(checkpointed.step);
                        request.reply(EmptyReply());
                      },
                      [&](const FoundRequest& found) {
                        reader->Found(
                            connection, at->second.feed->generation(), found.step,
                            [reply = request.reply](const LocalReader::OpenAnswer& answer) {
                              const auto* error = std::get_if<ReaderError>(&answer);
                              reply(error != nullptr ? ErrorReply(*error) : FoundReply(std::get<int64_t>(answer)));
                            });
                      },
                      [&](const CommitRequest& commit) { reader->Commit(commit, Confirmed(request.reply)); },
                      [&](const StopRequest&) { reader->Stop(Confirmed(request.reply)); }, [](const auto&) {}},
             *numbered.request);
}

void LocalFeeds::Open(const OpenRequest& open, const Request& request) {
  const auto refuse = [&](const std::string& why) { request.reply(ErrorReply({ErrorKind::kMisuse, why})); };
  const bool only = open.feed.empty() && feeds_.size() == 1;
  LocalFeed* const feed = only ? feeds_.begin()->second.get() : Find(open.feed);
  if (feed == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, known] : feeds_) names.push_back(name);
    if (open.feed.empty()) return refuse("the job has several feeds; name one of " + Join(names));
    return refuse("the job has no feed '" + Shorten(open.feed, 64) + "'; it has " + Join(names));
  }
  if (connections_.contains(request.connection)) return refuse("the connection has opened a feed before");
  if (open.attempt != attempt_) {
    return request.reply(ErrorReply({ErrorKind::kStopped, "attempt " + std::to_string(open.attempt) + " has ended"}));
  }
  LocalReader* const reader = feed->ReaderOf(open.local_rank);
  if (reader == nullptr) {
    return refuse("this process does not read the feed '" + open.feed +
                  "'; name its role in `roles` of the feed in the job file");
  }
  connections_[request.connection] = {feed, open.local_rank, {}};
  reader->Open(request.connection, [feed, reader, reply = request.reply](const LocalReader::OpenAnswer& answer) {
    const auto* error = std::get_if<ReaderError>(&answer);
    reply(error != nullptr ? ErrorReply(*error) : OpenReply(feed->Opened(*reader, std::get<int64_t>(answer))));
  });
}

void LocalFeeds::Next(const NextRequest& next, LocalReader& reader, const Request& request) {
  reader.Next(request.connection, next, [this, request](const LocalReader::NextAnswer& answer) {
    const auto at = connections_.find(request.connection);
    if (at == connections_.end()) return;
    request.reply(std::visit(Overload{[&](const std::vector<Slice>& slices) {
                                        return at->second.feed->blocks().Lend(at->second.holder, request.id, slices);
                                      },
                                      [](const ClosePass& end) { return EndReply(end); },
                                      [](const ReaderError& error) { return ErrorReply(error); }},
                             answer));
  });
}

void LocalFeeds::OnClosed(ConnectionId connection) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  Connection closed = std::move(at->second);
  connections_.erase(at);
  if (LocalReader* reader = closed.feed->ReaderOf(closed.local_rank)) reader->Forget(connection);
  closed.feed->blocks().ReleaseAll(closed.holder);
}

// --- sources and other executors ---

FlightServer::Handlers LocalFeeds::FlightHandlers() {
  FlightServer::Handlers handlers;
  handlers.authorize = [this](const std::string& feed, std::string_view token) {
    const LocalFeed* found = Find(feed);
    return found != nullptr && found->IsToken(token);
  };
  handlers.is_token = [this](std::string_view token) {
    for (const auto& [name, feed] : feeds_) {
      if (feed->IsToken(token)) return true;
    }
    return false;
  };
  handlers.on_block = [this](const PutTarget& target, const std::string& schema, ArrowBlock block,
                             std::function<void(Result<PutAnswer>)> answer) {
    LocalFeed* const feed = Find(target.feed);
    if (feed == nullptr) return answer(Failed("the job has no feed '" + target.feed + "'"));
    feed->OnBlock(target, schema, std::move(block), std::move(answer));
  };
  handlers.on_action = [this](uint64_t id, const std::string& type, const std::string& body,
                              FlightServer::Handlers::Call call) {
    actions_.OnAction(id, type, body, std::move(call));
  };
  handlers.on_cancelled = [this](uint64_t id) { actions_.OnCancelled(id); };
  handlers.on_get = [this](const GetTarget& get, FlightServer::Handlers::Send send,
                           std::function<void(Status)> finish) {
    const LocalFeed* const feed = Find(get.feed);
    if (feed == nullptr) return finish(Failed("the job has no feed '" + get.feed + "'"));
    feed->OnGet(get, send, finish);
  };
  return handlers;
}

}  // namespace howdah::feed::server
