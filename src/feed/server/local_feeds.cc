#include "local_feeds.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "answer_file.h"
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

// Where processes of the task send the rows of files, as sources.
FileSource::Address AddressOf(const Hub::Settings& settings) {
  return {"grpc+unix://" + settings.flight_path(), settings.identity.ca_certificate, std::string(rpc::kExecutorName)};
}

}  // namespace

LocalFeeds::LocalFeeds(boost::asio::io_context& loop, const Hub::Settings& settings, const Hub::Handlers& handlers,
                       Get get)
    : processes_(settings.processes),
      calls_(handlers.send),
      ports_{loop, calls_, handlers.send, handlers.log, std::move(get), AddressOf(settings)},
      answered_(loop, settings, handlers.send),
      actions_(calls_, {.near =
                            [this](const std::string& feed) {
                              const LocalFeed* found = Find(feed);
                              return found == nullptr ? -1 : found->seat().ReaderOf(0);
                            },
                        .on_wanted =
                            [this](const std::string& feed, int64_t pass, PartitionId partition, int reader) {
                              if (LocalFeed* found = Find(feed)) found->NoteWanted(pass, partition, reader);
                            }}) {
  plain_.emplace(loop, calls_, PlainPorts(loop, settings));
  for (const FeedPlan& plan : settings.feeds) {
    if (plan.answers) continue;
    feeds_[plan.name] = std::make_unique<LocalFeed>(plan, processes_, settings.spool_directory, ports_);
  }
}

PlainPuts::Ports LocalFeeds::PlainPorts(boost::asio::io_context& loop, const Hub::Settings& settings) {
  static constexpr auto kSilence = std::chrono::seconds(60);
  const auto post = [&loop](std::function<void()> task) { boost::asio::post(loop, std::move(task)); };
  return {.near =
              [this](const std::string& feed) {
                const LocalFeed* found = Find(feed);
                return found == nullptr ? -1 : found->seat().ReaderOf(0);
              },
          .put_here =
              [this](const PutTarget& target, const std::string& schema, const ArrowBlock& block,
                     const PlainPuts::OnAnswer& answer) {
                LocalFeed* const feed = Find(target.feed);
                if (feed == nullptr || !target.reader || !feed->seat().Has(*target.reader)) return false;
                feed->OnBlock(target, schema, block, answer);
                return true;
              },
          .open =
              [this, post, ca = settings.identity.ca_certificate](const FlightAddress& address, const PutTarget& target,
                                                                  const std::string& schema) {
                const LocalFeed* const feed = Find(target.feed);
                const std::string token = feed == nullptr ? "" : feed->seat().token();
                const auto put = std::make_shared<RemotePut>(
                    RemotePut::Settings{address, ca, token, target, schema, kSilence}, post);
                return [put](const ArrowBlock& block, PlainPuts::OnAnswer on_answer) {
                  put->Send(block, std::move(on_answer));
                };
              }};
}

LocalFeed* LocalFeeds::Find(const std::string& feed) const {
  const auto at = feeds_.find(feed);
  return at == feeds_.end() ? nullptr : at->second.get();
}

Error LocalFeeds::NoFeed(const std::string& feed) const {
  if (answered_.Find(feed) == nullptr) return Failed("the job has no feed '" + feed + "'");
  return Error::WithRemedy(ErrorCode::kUsage, "the feed " + feed + " has answers, and takes no rows otherwise",
                           "ask with DoExchange");
}

// --- the AM ---

void LocalFeeds::OnRegistered() {
  for (const auto& [name, feed] : feeds_) feed->Resync();
  answered_.OnRegistered();
  calls_.SendAgain();
}

void LocalFeeds::OnMessage(const wire::ToExecutor& message) {
  for (const wire::FeedPlace& place : message.feed_places()) {
    LocalFeed* const feed = Find(place.feed());
    const FlightAddress address{place.unix_path(), place.host(), static_cast<uint16_t>(place.port())};
    if (feed != nullptr) feed->SetPlace(place.reader(), address);
  }
  for (const wire::FeedOrder& order : message.feed_orders()) {
    // The only order for a feed with answers is its end.
    if (AnsweredFeed* const answered = answered_.Find(order.feed())) answered->Stop();
    LocalFeed* const feed = Find(order.feed());
    if (feed == nullptr) continue;
    const auto action = DecodeAction(order.action());
    action.ok() ? feed->Do(*action) : ports_.log("feed " + order.feed() + ": " + action.error().message);
  }
  if (message.has_feed_reply()) calls_.OnMessage(message.feed_reply());
}

void LocalFeeds::OnStart(const wire::Start& start) {
  attempt_ = start.attempt();
  started_ = true;
  for (const wire::FeedReaders& readers : start.feeds()) {
    if (LocalFeed* feed = Find(readers.feed())) feed->Begin(readers, processes_);
    if (AnsweredFeed* feed = answered_.Find(readers.feed())) feed->Begin(readers, processes_);
  }
}

void LocalFeeds::OnAttemptEnded() {
  attempt_ = -1;
  for (const auto& [name, feed] : feeds_) feed->End();
  answered_.OnAttemptEnded();
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

void LocalFeeds::OnRequest(ConnectionId connection, std::string_view text, os::files::Fd file,
                           std::function<void(ReaderReply)> reply) {
  const NumberedRequest numbered = ParseReaderRequest(text);
  const Request request{connection, numbered.id, [id = numbered.id, reply = std::move(reply)](ReaderReply answer) {
                          reply(WithId(id, std::move(answer)));
                        }};
  if (!numbered.request.ok()) return request.reply(ErrorReply({ErrorKind::kMisuse, numbered.request.error().message}));
  if (answered_.OnRequest(connection, *numbered.request, file, request.reply)) return;
  if (const auto* open = std::get_if<OpenRequest>(&*numbered.request)) return Open(*open, request);
  if (const auto* serve = std::get_if<ServeRequest>(&*numbered.request)) {
    if (!connections_.contains(connection)) return answered_.Serve(connection, *serve, attempt_, request.reply);
  }
  const auto at = connections_.find(connection);
  if (at == connections_.end())
    return request.reply(ErrorReply({ErrorKind::kMisuse, "the connection has not opened a feed, and serves none"}));
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
                      [&](const PointRequest& point) { at->second.feed->GetPoint(point.step, request.reply); },
                      [&](const FoundRequest& found) {
                        const auto point = ReadAnswerFile(file, found.bytes);
                        if (found.bytes > 0 && !point.ok()) {
                          return request.reply(ErrorReply({ErrorKind::kMisuse, point.error().message}));
                        }
                        reader->Found(
                            connection, at->second.feed->seat().generation(), found.step, point.ok() ? *point : "",
                            [reply = request.reply](const LocalReader::OpenAnswer& answer) {
                              const auto* error = std::get_if<ReaderError>(&answer);
                              reply(error != nullptr ? ErrorReply(*error) : FoundReply(std::get<int64_t>(answer)));
                            });
                      },
                      [&](const CommitRequest& commit) { reader->Commit(commit, Confirmed(request.reply)); },
                      [&](const StopRequest&) { reader->Stop(Confirmed(request.reply)); },
                      [&](const LeaveRequest&) { reader->Leave(Confirmed(request.reply)); },
                      [&](const SourceFailedRequest& failed) {
                        at->second.feed->FailSource({failed.message, failed.changed}, Confirmed(request.reply));
                      },
                      [&](const auto&) {
                        request.reply(ErrorReply({ErrorKind::kMisuse,
                                                  "the connection has opened a feed, which has no "
                                                  "answers; use another connection"}));
                      }},
             *numbered.request);
}

void LocalFeeds::Open(const OpenRequest& open, const Request& request) {
  const auto refuse = [&](const std::string& why) { request.reply(ErrorReply({ErrorKind::kMisuse, why})); };
  const bool only = open.feed.empty() && feeds_.size() == 1;
  LocalFeed* const feed = only ? feeds_.begin()->second.get() : Find(open.feed);
  if (feed == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, known] : feeds_) names.push_back(name);
    if (answered_.Find(open.feed) != nullptr || feeds_.empty()) {
      return refuse("the job has no feed '" + Shorten(open.feed, 64) + "' with rows; " + Join(answered_.names()) +
                    " has answers, and must be served instead");
    }
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
  const bool reads_files = feed->has_files() && !HasFileReader(feed, open.local_rank);
  connections_[request.connection] = {feed, open.local_rank, {}, reads_files};
  reader->Open(request.connection,
               [feed, reader, reads_files, reply = request.reply](const LocalReader::OpenAnswer& answer) {
                 const auto* error = std::get_if<ReaderError>(&answer);
                 reply(error != nullptr ? ErrorReply(*error)
                                        : OpenReply(feed->Opened(*reader, std::get<int64_t>(answer), reads_files)));
               });
}

bool LocalFeeds::HasFileReader(const LocalFeed* feed, int local_rank) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const auto& entry) {
    const Connection& one = entry.second;
    return one.feed == feed && one.local_rank == local_rank && one.reads_files;
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
  answered_.OnClosed(connection);
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  Connection closed = std::move(at->second);
  connections_.erase(at);
  if (LocalReader* reader = closed.feed->ReaderOf(closed.local_rank)) reader->Forget(connection);
  closed.feed->blocks().ReleaseAll(closed.holder);
}

// --- sources and other executors ---

// Reads each block only when there is room to send it, because a partition may not fit into the memory.
void LocalFeeds::SendBlocks(const std::string& name, std::deque<BlockId> blocks,
                            const FlightServer::Handlers::Get& get) {
  LocalFeed* const feed = Find(name);
  if (feed == nullptr) return get.finish(NoFeed(name));
  while (!blocks.empty() && get.has_room()) {
    std::string schema;
    std::vector<ArrowBlock> one(1);
    auto block = feed->blocks().Read(blocks.front(), schema);
    if (!block.ok()) return get.finish(block.error());
    one.front() = std::move(*block);
    get.send(std::move(schema), std::move(one));
    blocks.pop_front();
  }
  if (blocks.empty()) return get.finish(Status());
  get.when_room([this, name, blocks = std::move(blocks), get] { SendBlocks(name, blocks, get); });
}

FlightServer::Handlers LocalFeeds::FlightHandlers() {
  FlightServer::Handlers handlers;
  handlers.has_tokens = [this] { return started_; };
  handlers.authorize = [this](const std::string& feed, std::string_view token) {
    if (const AnsweredFeed* answered = answered_.Find(feed)) return IsSameToken(answered->token(), token);
    const LocalFeed* found = Find(feed);
    return found != nullptr && IsSameToken(found->seat().token(), token);
  };
  handlers.is_token = [this](std::string_view token) {
    for (const auto& [name, feed] : feeds_) {
      if (IsSameToken(feed->seat().token(), token)) return true;
    }
    return answered_.IsToken(token);
  };
  handlers.on_block = [this](const PutTarget& target, const std::string& schema, ArrowBlock block,
                             std::function<void(Result<PutAnswer>)> answer) {
    LocalFeed* const feed = Find(target.feed);
    if (feed == nullptr) return answer(NoFeed(target.feed));
    feed->OnBlock(target, schema, std::move(block), std::move(answer));
  };
  handlers.on_action = [this](uint64_t id, const std::string& type, const std::string& body,
                              FlightServer::Handlers::Call call) {
    actions_.OnAction(id, type, body, std::move(call));
  };
  handlers.on_cancelled = [this](uint64_t id) {
    actions_.OnCancelled(id);
    answered_.OnCancelled(id);
    plain_->OnCancelled(id);
  };
  handlers.exchanges = answered_.FlightHandlers();
  handlers.plain = plain_->FlightHandlers();
  handlers.plain.on_begin = [this, begin = handlers.plain.on_begin](uint64_t id, const std::string& feed,
                                                                    const std::string& client,
                                                                    std::function<void(Status)> finish) {
    if (Find(feed) == nullptr) return finish(NoFeed(feed));
    begin(id, feed, client, std::move(finish));
  };
  handlers.on_get = [this](const GetTarget& target, const FlightServer::Handlers::Get& get) {
    const LocalFeed* const feed = Find(target.feed);
    SendBlocks(target.feed, feed == nullptr ? std::deque<BlockId>() : feed->Find(target), get);
  };
  return handlers;
}

LocalSources::Ports LocalFeeds::SourcePorts() {
  return {.handlers = FlightHandlers(),
          .reserve = [this](const PutRequest& put) -> Result<std::optional<BlockStore::Room>> {
            LocalFeed* const feed = Find(put.target.feed);
            if (feed == nullptr) return NoFeed(put.target.feed);
            return feed->Reserve(put.target, put.schema, put.block, put.body_bytes);
          },
          .unreserve =
              [this](const std::string& feed, BlockId block) {
                if (LocalFeed* const found = Find(feed)) found->blocks().Unreserve(block);
              },
          .crc_of_body = [this](const std::string& feed, BlockId block) -> Result<uint32_t> {
            LocalFeed* const found = Find(feed);
            if (found == nullptr) return NoFeed(feed);
            return found->blocks().store().CrcOfBody(block);
          }};
}

}  // namespace howdah::feed::server
