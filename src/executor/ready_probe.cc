#include "ready_probe.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/keyfile/variables.h"

namespace howdah::executor {
namespace {

using boost::asio::ip::tcp;

constexpr size_t kLongestStatusLine = 4096;

Error NoTarget(const std::string& written, const std::string& why) {
  return Error{ErrorCode::kFailed, "its readiness probe " + written + " cannot be made: " + why};
}

Result<std::string> Expanded(const std::string& written, const Variables& environment) {
  const keyfile::Expansion expansion =
      keyfile::ExpandVariables(written, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
      });
  if (expansion.unset.empty()) return expansion.text;
  return NoTarget(written, "the task has no variable " + expansion.unset.front());
}

bool ReadPort(std::string_view text, uint16_t& port) {
  port = ParseNumber<uint16_t>(text).value_or(0);
  return port != 0;
}

// Reads the status of a line such as "HTTP/1.1 200 OK" (RFC 9112, section 4).
bool IsGoodStatus(const std::string& line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return false;
  const auto status = ParseNumber<int>(std::string_view(line).substr(9, 3));
  return status && *status >= 200 && *status < 400;
}

}  // namespace

Result<ProbeTarget> ProbeTargetOf(const jobspec::Ready& ready, const Variables& environment) {
  constexpr std::string_view kScheme = "http://";
  const std::string& written = ready.http.empty() ? ready.port : ready.http;
  HOWDAH_TRY(const std::string text, Expanded(written, environment));
  ProbeTarget target{.address = "127.0.0.1", .port = 80, .path = ""};
  if (ready.http.empty()) {
    if (ReadPort(text, target.port)) return target;
    return NoTarget(written, "'" + text + "' is not a port");
  }
  const std::string_view rest = std::string_view(text).substr(std::min(kScheme.size(), text.size()));
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view server = rest.substr(0, slash);
  target.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  const bool bracketed = server.starts_with('[');
  const size_t colon = server.find(':', bracketed ? std::min(server.find(']'), server.size()) : 0);
  std::string_view host = server.substr(0, colon);
  if (bracketed && host.size() > 2) host = host.substr(1, host.size() - 2);
  if (colon != server.npos && !ReadPort(server.substr(colon + 1), target.port)) {
    return NoTarget(written, "'" + std::string(server.substr(colon + 1)) + "' is not a port");
  }
  if (host != "localhost") target.address = std::string(host);
  boost::system::error_code invalid;
  boost::asio::ip::make_address(target.address, invalid);
  if (invalid) return NoTarget(written, "the probe runs on the task's own host; write 127.0.0.1 or localhost");
  return target;
}

// One connection. Its handlers keep it alive, also after the probe has been abandoned.
class ReadyProbe::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& loop, const ProbeTarget& target, std::function<void(bool)> done)
      : socket_(loop), deadline_(loop), answer_(kLongestStatusLine), path_(target.path), done_(std::move(done)) {
    host_ = target.address.find(':') == std::string::npos ? target.address : "[" + target.address + "]";
    host_ += ":" + std::to_string(target.port);
  }

  void Start(const ProbeTarget& target, Duration timeout) {
    deadline_.expires_after(timeout);
    deadline_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->Finish(false);
    });
    const tcp::endpoint endpoint(boost::asio::ip::make_address(target.address), target.port);
    socket_.async_connect(endpoint, [self = shared_from_this()](const boost::system::error_code& error) {
      if (error || self->path_.empty()) return self->Finish(!error);
      self->Ask();
    });
  }
  void Abandon() {
    done_ = nullptr;
    Close();
  }

 private:
  void Ask() {
    request_ = "GET " + path_ + " HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\nAccept: */*\r\n\r\n";
    boost::asio::async_write(socket_, boost::asio::buffer(request_),
                             [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                               if (error) return self->Finish(false);
                               self->ReadAnswer();
                             });
  }
  void ReadAnswer() {
    boost::asio::async_read_until(socket_, answer_, '\n',
                                  [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                                    std::string line;
                                    std::istream stream(&self->answer_);
                                    std::getline(stream, line);
                                    self->Finish(!error && IsGoodStatus(line));
                                  });
  }
  void Finish(bool good) {
    const auto done = std::exchange(done_, nullptr);
    Close();
    if (done) done(good);
  }
  void Close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    deadline_.cancel();
  }

  tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  boost::asio::streambuf answer_;
  std::string path_, host_, request_;
  std::function<void(bool)> done_;
};

void ReadyProbe::Begin(ProbeTarget target, Duration interval, Duration timeout) {
  End();
  target_ = std::move(target);
  interval_ = interval;
  timeout_ = timeout;
  Probe();
}

void ReadyProbe::End() {
  ++round_;
  pause_.cancel();
  if (const auto connection = std::exchange(connection_, nullptr)) connection->Abandon();
}

void ReadyProbe::Probe() {
  connection_ = std::make_shared<Connection>(loop_, target_, [this](bool good) { OnResult(good); });
  connection_->Start(target_, timeout_);
}

void ReadyProbe::OnResult(bool good) {
  connection_.reset();
  if (good) return on_ready_();
  pause_.expires_after(interval_);
  pause_.async_wait([this, round = round_](const boost::system::error_code& error) {
    if (!error && round == round_) Probe();
  });
}

}  // namespace howdah::executor
