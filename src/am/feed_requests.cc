#include "feed_requests.h"

#include <utility>

namespace howdah::am {
namespace {

wire::ControlReply Refusal(std::string why, bool never) {
  wire::ControlReply reply;
  reply.set_error(std::move(why));
  reply.set_never(never);
  return reply;
}

// Returns the feed that the request names. An empty name is the job's only feed.
Result<std::string> FindFeed(const jobspec::JobSpec& spec, const std::string& name) {
  std::string names;
  for (const jobspec::FeedSpec& feed : spec.feeds) {
    if (feed.name == name || (name.empty() && spec.feeds.size() == 1)) return feed.name;
    names += (names.empty() ? "" : ", ") + feed.name;
  }
  if (names.empty()) return Failed("the job has no feeds; add `feeds: {train: {}}` to the job file");
  return Failed(name.empty() ? "the job has several feeds (" + names + "); name one of them"
                             : "the job has no feed " + name + "; its feeds are " + names);
}

}  // namespace

void FeedRequests::Answer(const wire::FeedRequest& request, Reply reply) {
  const auto feed = FindFeed(spec_, request.feed());
  if (!feed.ok()) return reply(Refusal(feed.error().message, true));
  switch (request.kind_case()) {
    case wire::FeedRequest::kAddress:
      return AnswerAddress(*feed, std::move(reply));
    case wire::FeedRequest::kClose:
      return ports_.close(*feed, [reply = std::move(reply)](const Status& closed) {
        reply(closed.ok() ? wire::ControlReply() : Refusal(closed.error().message, false));
      });
    default:
      return reply(Refusal(
          "the application master does not support this request; use the version of howdah that submitted the job",
          false));
  }
}

void FeedRequests::AnswerAddress(const std::string& feed, Reply reply) {
  if (TryAddress(feed, reply)) return;
  const uint64_t id = ++last_id_;
  const auto added =
      waiting_.try_emplace(id, Waiting{feed, std::move(reply), boost::asio::steady_timer(loop_, limit_)}).first;
  added->second.limit.async_wait([this, id](const boost::system::error_code& error) {
    const auto expired = error ? waiting_.end() : waiting_.find(id);
    if (expired == waiting_.end()) return;  // the request was answered
    const auto [name, answer] = std::pair(expired->second.feed, std::move(expired->second.reply));
    waiting_.erase(expired);
    answer(Refusal("no task that reads the feed " + name + " has started within " + FormatDuration(limit_) +
                       "; `howdah status` shows what the job waits for",
                   false));
  });
}

bool FeedRequests::TryAddress(const std::string& feed, const Reply& reply) const {
  const auto locations = ports_.locations(feed);
  if (!locations.ok()) {
    reply(Refusal(locations.error().message, false));
    return true;
  }
  if (locations->empty()) return false;
  wire::ControlReply answer;
  answer.mutable_feed_address()->set_feed(feed);
  answer.mutable_feed_address()->set_token(ports_.token(feed));
  for (const std::string& uri : *locations) answer.mutable_feed_address()->add_locations(uri);
  reply(std::move(answer));
  return true;
}

void FeedRequests::OnLocationsChanged() {
  std::erase_if(waiting_, [this](const auto& entry) { return TryAddress(entry.second.feed, entry.second.reply); });
}

}  // namespace howdah::am
