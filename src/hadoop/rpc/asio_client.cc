#include "howdah/hadoop/rpc/asio_client.h"

#include <openssl/rand.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cassert>
#include <map>
#include <utility>
#include <vector>

#include "call_report.h"
#include "howdah/hadoop/sasl/digest.h"
#include "link.h"

namespace howdah::hadoop::rpc {
namespace asio = boost::asio;
namespace {

using Clock = std::chrono::steady_clock;

std::string Random(size_t size) {
  std::string bytes(size, '\0');
  const int done = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size));
  assert(done == 1);
  return done == 1 ? bytes : std::string();
}

// Returns a random UUID (version 4) as 16 bytes.
std::string NewClientId() {
  std::string id = Random(16);
  id[6] = static_cast<char>((id[6] & 0x0f) | 0x40);
  id[8] = static_cast<char>((id[8] & 0x3f) | 0x80);
  return id;
}

}  // namespace

class AsioClient::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, ClientOptions options)
      : loop_(loop), options_(std::move(options)), client_id_(NewClientId()) {}

  void Close();
  void Begin(std::string_view method, std::string request, Repeat repeat, Done done);
  void SetToken(Token token, bool reconnect);
  const std::string& local_ip() const { return local_ip_; }
  const std::string& security() const { return security_; }

 private:
  struct Call {
    Call(asio::io_context& loop) : timer(loop) {}
    int32_t id = 0, retry_count = 0;
    std::string method, request;
    Repeat repeat = Repeat::kSafe;
    Done done;
    Clock::time_point begun, sent;
    bool reused = false;  // sent on a connection that earlier calls had used
    size_t failed = 0;    // number of failed attempts
    CallReport report;
    std::shared_ptr<Link> link;  // null while the call waits for the next attempt
    asio::steady_timer timer;    // limits the wait for the answer; between attempts, ends the pause
    // Incremented whenever the timer is set: a handler of the timer's previous use may still be queued and must be
    // ignored.
    uint64_t timer_use = 0;
  };
  using CallPtr = std::shared_ptr<Call>;

  void Attempt(const CallPtr& call);
  void Connect();
  void SetTimer(const CallPtr& call, Duration after, void (Impl::*then)(const CallPtr&));
  void WaitForAnswer(const CallPtr& call);
  void OnTimeout(const CallPtr& call);
  void OnReady(const Link* link);
  void OnAnswer(Answer answer);
  void OnLinkFailure(const std::shared_ptr<Link>& link, Failure failure);
  void OnFailure(const CallPtr& call, size_t server, Failure failure);
  void Finish(const CallPtr& call, Result<std::string> result);
  void Retire(const std::shared_ptr<Link>& link);
  bool Awaited(const Link* link) const;

  asio::io_context& loop_;
  ClientOptions options_;
  const std::string client_id_;
  bool closed_ = false;
  size_t server_ = 0;  // index of the server for the next connection
  std::string local_ip_, security_;
  int32_t last_id_ = -1;
  std::map<int32_t, CallPtr> calls_;
  std::shared_ptr<Link> link_;                  // the link for new calls; null if there is none
  std::vector<std::shared_ptr<Link>> retired_;  // links that send no new calls; closed after their last answer
};

void AsioClient::Impl::Close() {
  closed_ = true;
  if (link_) link_->Close();
  for (const auto& link : retired_) link->Close();
  for (const auto& [id, call] : calls_) call->timer.cancel();
  calls_.clear();
}

void AsioClient::Impl::Begin(std::string_view method, std::string request, Repeat repeat, Done done) {
  auto call = std::make_shared<Call>(loop_);
  do {
    last_id_ = static_cast<int32_t>((static_cast<uint32_t>(last_id_) + 1) & 0x7fffffff);
  } while (calls_.contains(last_id_));
  call->id = last_id_;
  call->method = method;
  call->request = std::move(request);
  call->repeat = repeat;
  call->done = std::move(done);
  call->begun = Clock::now();
  calls_[call->id] = call;
  if (options_.servers.empty() || call->request.size() > kMaxFrameSize / 2) {
    return asio::post(loop_, [self = shared_from_this(), call] {
      const std::string why = self->options_.servers.empty() ? "no server is configured" : "the request is too large";
      if (!self->closed_) self->Finish(call, Failed("calling " + call->method + ": " + why));
    });
  }
  Attempt(call);
}

void AsioClient::Impl::Attempt(const CallPtr& call) {
  if (link_ && link_->ready() && !Awaited(link_.get()) && link_->Ended()) Retire(link_);
  call->reused = link_ && link_->ready();
  if (!link_) Connect();
  call->link = link_;
  link_->Call(call->id, call->retry_count, call->method, call->request);
  if (link_->ready()) WaitForAnswer(call);
}

void AsioClient::Impl::Connect() {
  ConnectionOptions connection{options_.protocol, options_.login.user, options_.login.real_user, client_id_, {}};
  if (options_.login.token) {
    connection.mechanisms.push_back(TokenMechanism(*options_.login.token, sasl::Base64(Random(30))));
  }
  connection.kerberos = options_.login.kerberos;
  connection.why_not_simple = options_.login.why_not_simple;
  link_ = std::make_shared<Link>(loop_, options_.servers[server_], server_, std::move(connection), options_.limits);
  // The hooks may use `this`, because the destructor of the client closes the link.
  link_->Open(
      {[this, link = link_.get()] { OnReady(link); }, [this](Answer answer) { OnAnswer(std::move(answer)); },
       [this, weak = std::weak_ptr(link_)](Failure failure) { OnLinkFailure(weak.lock(), std::move(failure)); }});
}

bool AsioClient::Impl::Awaited(const Link* link) const {
  for (const auto& [id, call] : calls_) {
    if (call->link.get() == link) return true;
  }
  return false;
}

void AsioClient::Impl::SetTimer(const CallPtr& call, Duration after, void (Impl::*then)(const CallPtr&)) {
  const uint64_t use = ++call->timer_use;
  call->timer.expires_after(after);
  call->timer.async_wait([self = shared_from_this(), call, use, then](const boost::system::error_code& code) {
    if (!code && use == call->timer_use && !self->closed_) ((*self).*then)(call);
  });
}

void AsioClient::Impl::WaitForAnswer(const CallPtr& call) {
  call->sent = Clock::now();
  SetTimer(call, options_.limits.call, &Impl::OnTimeout);
}

void AsioClient::Impl::OnTimeout(const CallPtr& call) {
  const size_t server = call->link->server();
  OnFailure(call, server,
            {FailureKind::kTimeout, {ErrorCode::kTimeout, "no answer within " + FormatDuration(options_.limits.call)}});
}

void AsioClient::Impl::OnReady(const Link* link) {
  local_ip_ = link->local_ip();
  security_ = link->security();
  for (const auto& [id, call] : calls_) {
    if (call->link.get() == link) WaitForAnswer(call);
  }
}

void AsioClient::Impl::OnAnswer(Answer answer) {
  const auto found = calls_.find(answer.call_id);
  if (found == calls_.end()) return;
  const CallPtr call = found->second;
  if (answer.response) return Finish(call, std::move(answer.response));
  OnFailure(call, call->link->server(), {FailureKind::kRemote, answer.response.error()});
}

void AsioClient::Impl::OnLinkFailure(const std::shared_ptr<Link>& link, Failure failure) {
  const auto self = shared_from_this();
  std::vector<CallPtr> lost;
  for (const auto& [id, call] : calls_) {
    if (call->link == link) lost.push_back(call);
  }
  Retire(link);
  if (failure.kind == FailureKind::kRemote) {
    failure.error = Refused(options_, link->server(), failure.error);
  }
  for (const CallPtr& call : lost) {
    if (closed_) return;
    Failure mine = failure;
    if (failure.kind == FailureKind::kLost) {
      if (!link->WasSent(call->id)) {
        mine.kind = FailureKind::kUnreachable;
      } else if (call->reused && link->last_received() <= call->sent) {
        mine.kind = FailureKind::kStale;
      }
    }
    if (calls_.contains(call->id)) OnFailure(call, link->server(), std::move(mine));
  }
}

void AsioClient::Impl::OnFailure(const CallPtr& call, size_t server, Failure failure) {
  const auto elapsed = std::chrono::duration_cast<Duration>(Clock::now() - call->begun);
  ++call->failed;
  call->report.Add(server, failure);
  const Decision decision =
      Decide(failure, {call->failed, options_.servers.size(), elapsed, call->repeat}, options_.limits);
  const auto link = std::exchange(call->link, nullptr);
  if (failure.kind != FailureKind::kUnreachable) ++call->retry_count;
  link->DropAnswer(call->id);
  if (decision.verdict == Verdict::kNextServer) {
    // If one server fails several calls, only the first of these failures switches to the next server.
    if (server_ == server) server_ = (server + 1) % options_.servers.size();
  }
  if (decision.verdict == Verdict::kNextServer || link != link_) Retire(link);
  if (decision.verdict == Verdict::kGiveUp) {
    return Finish(call, call->report.Final(options_, {call->method, call->repeat, server, elapsed}, failure));
  }
  SetTimer(call, decision.wait, &Impl::Attempt);
}

void AsioClient::Impl::Finish(const CallPtr& call, Result<std::string> result) {
  const auto self = shared_from_this();  // keeps this object alive: `done` may destroy the client
  calls_.erase(call->id);
  ++call->timer_use;
  call->timer.cancel();
  if (const auto link = std::exchange(call->link, nullptr)) {
    link->DropAnswer(call->id);
    if (link != link_) Retire(link);
  }
  std::exchange(call->done, nullptr)(std::move(result));
}

// Sends no new calls on the link. Closes it when it has no outstanding call.
void AsioClient::Impl::Retire(const std::shared_ptr<Link>& link) {
  const std::shared_ptr<Link> kept = link;
  if (link_ == kept) {
    link_ = nullptr;
    retired_.push_back(kept);
  }
  if (Awaited(kept.get())) return;
  kept->Close();
  std::erase(retired_, kept);
}

void AsioClient::Impl::SetToken(Token token, bool reconnect) {
  options_.login.token = std::move(token);
  if (reconnect && link_) Retire(link_);
}

AsioClient::AsioClient(asio::io_context& loop, ClientOptions options)
    : impl_(std::make_shared<Impl>(loop, std::move(options))) {}
AsioClient::~AsioClient() { impl_->Close(); }

void AsioClient::CallBytes(std::string_view method, std::string request, Repeat repeat, Done done) {
  impl_->Begin(method, std::move(request), repeat, std::move(done));
}

void AsioClient::SetToken(Token token, bool reconnect) { impl_->SetToken(std::move(token), reconnect); }
std::string AsioClient::local_ip() const { return impl_->local_ip(); }
std::string AsioClient::security() const { return impl_->security(); }

}  // namespace howdah::hadoop::rpc
