#include "am_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "log.h"

namespace howdah::executor {
namespace {

constexpr Duration kConnectLimit = std::chrono::seconds(20);

}  // namespace

AmConnection::AmConnection(boost::asio::io_context& loop, const os::process::Clock& clock, Connect connect,
                           Handlers handlers)
    : loop_(loop),
      clock_(clock),
      connect_(std::move(connect)),
      handlers_(std::move(handlers)),
      heartbeat_timer_(loop) {}

Status AmConnection::Open(const std::string& am_address, wire::Register registration, bool accept_callback) {
  registration_ = std::move(registration);
  if (accept_callback) {
    HOWDAH_TRY(callback_, rpc::callback::CallbackListener::Listen(loop_, registration_.host(),
                                                                  [this](const std::string& am) { OnCalledBack(am); }));
    registration_.set_callback_address(callback_->address());
  }
  current_ = OpenStream(am_address, kConnectLimit);
  if (!current_.open) return Failed("connecting to the application master at " + am_address + ": no stream was opened");
  handlers_.on_registered();
  return {};
}

AmConnection::Stream AmConnection::OpenStream(const std::string& address, Duration limit) {
  const int number = ++streams_;
  Stream stream{number, address,
                connect_(
                    address, [this](std::function<void()> task) { boost::asio::post(loop_, std::move(task)); },
                    {[this, number](const wire::ToExecutor& message) { OnMessage(number, message); },
                     [this, number](const std::string& why) { OnClosed(number, why); },
                     [this, number] {
                       if (number == current_.number) handlers_.on_sent();
                     }},
                    limit)};
  if (stream.link == nullptr) return stream;
  stream.open = true;
  wire::FromExecutor message;
  *message.mutable_register_() = registration_;
  message.mutable_register_()->set_attempt(handlers_.newest_attempt());
  stream.link->Send(message);
  for (const wire::FromExecutor& report : reports_) stream.link->Send(report);
  return stream;
}

void AmConnection::Reconnect() {
  current_ = OpenStream(current_.address, RemainingWait());
  if (current_.open) handlers_.on_registered();
}

void AmConnection::OnMessage(int stream, const wire::ToExecutor& message) {
  if (candidate_.open && stream == candidate_.number) UseCandidate();
  if (stream == current_.number) handlers_.on_message(message);
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
  if (current_.open) current_.link->Send(message);
}

void AmConnection::Report(wire::FromExecutor message) {
  Send(message);
  if (candidate_.open) candidate_.link->Send(message);
  reports_.push_back(std::move(message));
}

bool AmConnection::Finish() {
  if (current_.open) current_.link->Finish();
  return current_.open;
}

// The task's processes continue while no AM is connected. Reports about them are kept in reports_.
void AmConnection::OnClosed(int stream, const std::string& why) {
  if (candidate_.open && stream == candidate_.number) {
    Log("the application master at " + candidate_.address + ", which has called back, does not answer: " + why);
    candidate_ = Stream();
    return;
  }
  if (stream == former_.number) former_ = Stream();
  if (stream != current_.number) return;
  current_.open = false;
  heartbeat_timer_.cancel();
  if (!reconnect_ || RemainingWait() <= Duration::zero()) return handlers_.on_lost(why);
  if (!lost_since_) {
    lost_since_ = clock_.Now();
    Log("lost the connection to the application master at " + current_.address + " (" + why + "); waiting up to " +
        DurationToText(am_timeout_) + " for another one");
  }
  Reconnect();
}

Duration AmConnection::RemainingWait() const {
  return lost_since_ ? std::max(Duration::zero(), am_timeout_ - (clock_.Now() - *lost_since_)) : am_timeout_;
}

// The callback only proves that the caller has the callback secret. So the current stream stays in use until the
// candidate AM has answered over mutual TLS. Otherwise, a program that has read the secret could disconnect a working
// AM.
void AmConnection::OnCalledBack(const std::string& am_address) {
  if (!reconnect_ || am_address == current_.address) return;
  if (candidate_.open && am_address == candidate_.address) return;
  Log("called back by another application master, at " + am_address);
  candidate_ = OpenStream(am_address, kConnectLimit);
}

// The answer of the candidate proves that it is the job's AM. So the candidate has replaced the AM of the current
// stream, even if that stream still looks intact.
void AmConnection::UseCandidate() {
  heartbeat_timer_.cancel();
  lost_since_ = lost_since_.value_or(clock_.Now());
  former_ = std::exchange(current_, std::exchange(candidate_, Stream()));
  if (former_.open) {
    wire::FromExecutor message;
    message.mutable_moved();
    former_.link->Send(message);
    former_.link->Finish();
  }
  handlers_.on_moved();
  handlers_.on_registered();
}

}  // namespace howdah::executor
