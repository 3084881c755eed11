#include "am_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "log.h"

namespace howdah::executor {
namespace {

constexpr Duration kFirstConnectLimit = std::chrono::seconds(20);

}  // namespace

AmConnection::AmConnection(boost::asio::io_context& loop, const os::process::Clock& clock, Connect connect,
                           Handlers handlers)
    : loop_(loop),
      clock_(clock),
      connect_(std::move(connect)),
      handlers_(std::move(handlers)),
      heartbeat_timer_(loop) {}

Status AmConnection::Open(const std::string& am_address, wire::Register registration, bool accept_callback) {
  am_address_ = am_address;
  registration_ = std::move(registration);
  if (accept_callback) {
    HOWDAH_TRY(callback_, rpc::callback::CallbackListener::Listen(loop_, registration_.host(),
                                                                  [this](const std::string& am) { OnCalledBack(am); }));
    registration_.set_callback_address(callback_->address());
  }
  Register();
  if (link_ == nullptr) return Failed("connecting to the application master");
  return {};
}

void AmConnection::Register() {
  link_ = connect_(
      am_address_, [this](std::function<void()> task) { boost::asio::post(loop_, std::move(task)); },
      {[this](const wire::ToExecutor& message) { handlers_.on_message(message); },
       [this](const std::string& why) { OnClosed(why); }, [this] { handlers_.on_sent(); }},
      lost_since_ ? RemainingWait() : kFirstConnectLimit);
  if (link_ == nullptr) return;
  connected_ = true;
  wire::FromExecutor message;
  *message.mutable_register_() = registration_;
  message.mutable_register_()->set_attempt(handlers_.newest_attempt());
  link_->Send(message);
  for (const wire::FromExecutor& report : reports_) link_->Send(report);
  handlers_.on_registered();
}

void AmConnection::OnWelcome(const wire::Welcome& welcome) {
  lost_since_.reset();
  am_timeout_ = Duration(welcome.await_am_micros());
  heartbeat_interval_ = std::chrono::milliseconds(std::max(welcome.heartbeat_millis(), 1));
  ScheduleHeartbeat();
}

void AmConnection::ScheduleHeartbeat() {
  heartbeat_timer_.expires_after(heartbeat_interval_);
  heartbeat_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    handlers_.on_heartbeat_due();
    ScheduleHeartbeat();
  });
}

void AmConnection::Send(const wire::FromExecutor& message) {
  if (connected_) link_->Send(message);
}

void AmConnection::Report(wire::FromExecutor message) {
  Send(message);
  reports_.push_back(std::move(message));
}

bool AmConnection::Finish() {
  if (connected_) link_->Finish();
  return connected_;
}

// The task's processes continue while no AM is connected. Reports about them are kept in reports_ for the next AM.
void AmConnection::OnClosed(const std::string& why) {
  connected_ = false;
  heartbeat_timer_.cancel();
  if (!reconnect_ || RemainingWait() <= Duration::zero()) return handlers_.on_lost(why);
  if (!lost_since_) {
    lost_since_ = clock_.Now();
    Log("lost the connection to the application master at " + am_address_ + " (" + why + "); waiting up to " +
        DurationToText(am_timeout_) + " for another one");
  }
  Register();
}

Duration AmConnection::RemainingWait() const {
  return lost_since_ ? std::max(Duration::zero(), am_timeout_ - (clock_.Now() - *lost_since_)) : am_timeout_;
}

// Connects to the calling AM even if the stream to the old AM looks intact, because the calling AM has replaced the old
// one.
void AmConnection::OnCalledBack(const std::string& am_address) {
  if (!reconnect_ || am_address == am_address_) return;
  Log("called back by another application master, at " + am_address);
  am_address_ = am_address;
  lost_since_ = lost_since_.value_or(clock_.Now());
  heartbeat_timer_.cancel();
  handlers_.on_moved();
  Register();
}

}  // namespace howdah::executor
