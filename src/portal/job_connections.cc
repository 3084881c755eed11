#include "job_connections.h"

#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

namespace howdah::portal {
namespace {

using rpc::streams::TaskConnection;

web::Problem NoServer(const std::string& why) {
  return {502, "the server in the job does not answer: " + why, "it may still be starting; load the page again"};
}

}  // namespace

// One connection, of which the channel may have to be looked up first.
class JobConnections::Connection final : public web::Upstream {
 public:
  Connection(JobConnections& owner, FoundJob job, rpc::streams::Target target, Events events)
      : state_(std::make_shared<State>(State{owner, std::move(job), std::move(target), std::move(events)})) {
    boost::asio::post(owner.services_.loop, [weak = std::weak_ptr(state_)] { Begin(weak); });
  }

  void Send(std::string bytes) override { state_->connection->Send(std::move(bytes)); }
  void End() override {
    if (state_->connection) state_->connection->End();
  }
  void Take(size_t bytes) override { state_->connection->Take(bytes); }

 private:
  struct State {
    JobConnections& owner;
    const FoundJob job;
    const rpc::streams::Target target;
    const Events events;
    Channel channel = nullptr;
    std::unique_ptr<TaskConnection> connection = nullptr;
    bool second_attempt = false;
  };

  static void Begin(const std::weak_ptr<State>& weak) {
    const auto state = weak.lock();
    if (!state) return;
    state->owner.WithChannel(state->job, [weak](const Result<Channel>& channel) {
      const auto found = weak.lock();
      if (!found) return;
      if (!channel.ok()) return found->events.on_failed(NoServer(channel.error().message));
      found->channel = *channel;
      found->connection = found->channel->Open(
          found->target, {found->events.on_open, found->events.on_bytes, found->events.on_end, found->events.on_taken,
                          [weak](const TaskConnection::Failure& failure) { OnFailed(weak, failure); }});
    });
  }

  static void OnFailed(const std::weak_ptr<State>& weak, const TaskConnection::Failure& failure) {
    const auto state = weak.lock();
    if (!state) return;
    if (failure.opened || failure.refused) return state->events.on_failed(NoServer(failure.why));
    state->owner.Drop(state->job.id, state->channel);
    if (std::exchange(state->second_attempt, true)) return state->events.on_failed(NoServer(failure.why));
    state->connection = nullptr;
    state->channel = nullptr;
    Begin(weak);
  }

  const std::shared_ptr<State> state_;
};

std::unique_ptr<web::Upstream> JobConnections::Connect(const FoundJob& job, const rpc::streams::Target& target,
                                                       web::Upstream::Events events) {
  return std::make_unique<Connection>(*this, job, target, std::move(events));
}

void JobConnections::WithChannel(const FoundJob& job, Use use) {
  const auto found = jobs_.find(job.id.text);
  if (found != jobs_.end() && found->second.channel) return use(found->second.channel);
  const bool looks_up = found != jobs_.end();
  jobs_[job.id.text].waiting.push_back(std::move(use));
  if (!looks_up) LookUp(job);
}

void JobConnections::LookUp(const FoundJob& job) {
  const auto am = std::make_shared<std::optional<Result<rpc::AmContact>>>();
  Ask(
      services_, {job.backend->name},
      [am, id = job.id](backend::Cluster& cluster, const std::string&) -> Status {
        HOWDAH_TRY(rpc::AmContact contact, cluster.Contact(id));
        *am = std::move(contact);
        return {};
      },
      [this, am, id = job.id](const std::vector<std::pair<std::string, Error>>& failed) {
        OnContact(id, failed.empty() ? **am : Result<rpc::AmContact>(failed.front().second));
      });
}

void JobConnections::OnContact(const JobId& id, const Result<rpc::AmContact>& am) {
  const auto make = [&]() -> Result<Channel> {
    if (!am.ok()) return am.error();
    HOWDAH_TRY(auto channel,
               rpc::streams::TaskConnections::Make(
                   *am, [&loop = services_.loop](std::function<void()> f) { boost::asio::post(loop, std::move(f)); }));
    return Channel(std::move(channel));
  };
  const Result<Channel> channel = make();
  const std::vector<Use> waiting = std::exchange(jobs_[id.text].waiting, {});
  if (channel.ok()) {
    jobs_[id.text].channel = *channel;
  } else {
    jobs_.erase(id.text);
  }
  for (const Use& use : waiting) use(channel);
}

void JobConnections::Drop(const JobId& id, const Channel& channel) {
  const auto found = jobs_.find(id.text);
  if (found != jobs_.end() && found->second.channel == channel) jobs_.erase(found);
}

}  // namespace howdah::portal
