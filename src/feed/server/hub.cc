#include "howdah/feed/server/hub.h"

#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "flight_client.h"
#include "flight_server.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "local_feeds.h"
#include "local_sources.h"
#include "log_tails.h"
#include "reader_socket.h"

namespace howdah::feed::server {
namespace {

// Creates the directory. If it exists, another user may have made it.
Status MakePrivateDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  return os::files::SystemError("creating " + path + " for the sockets of the job's feeds");
}

}  // namespace

class Hub::Impl {
 public:
  Impl(boost::asio::io_context& loop, Settings settings, Handlers handlers)
      : settings_(std::move(settings)),
        handlers_(std::move(handlers)),
        post_([&loop](std::function<void()> task) { boost::asio::post(loop, std::move(task)); }),
        client_(settings_.identity, post_),
        feeds_(loop, settings_, handlers_,
               [this](const FlightAddress& address, const std::string& token, const GetTarget& get,
                      FlightClient::OnBlock on_block, FlightClient::OnDone on_done) {
                 client_.Get(address, token, get, std::move(on_block), std::move(on_done));
               }),
        sources_(feeds_.SourcePorts()) {}
  ~Impl() {
    source_socket_.reset();
    socket_.reset();
    server_.reset();
    if (made_directory_) (void)os::files::RemoveTree(settings_.socket_directory).ok();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Listen(boost::asio::io_context& loop) {
    HOWDAH_TRY_STATUS(MakePrivateDirectory(settings_.socket_directory));
    made_directory_ = true;
    reader_path_ = settings_.socket_directory + "/read";
    HOWDAH_TRY(socket_,
               ReaderSocket::Listen(
                   loop, reader_path_,
                   {.on_request =
                        [this](ConnectionId connection, std::string_view request, os::files::Fd file, auto reply) {
                          feeds_.OnRequest(connection, request, std::move(file), std::move(reply));
                        },
                    .on_closed = [this](ConnectionId connection) { feeds_.OnClosed(connection); },
                    .log = handlers_.log}));
    const std::string flight_path = settings_.flight_path();
    HOWDAH_TRY(server_, FlightServer::Start(flight_path, settings_.tls_host, settings_.identity, post_,
                                            feeds_.FlightHandlers()));
    HOWDAH_TRY(source_socket_,
               ReaderSocket::Listen(
                   loop, settings_.source_path(),
                   {.on_request = [this](ConnectionId connection, std::string_view request, const os::files::Fd&,
                                         auto reply) { sources_.OnRequest(connection, request, std::move(reply)); },
                    .on_closed = [this](ConnectionId connection) { sources_.OnClosed(connection); },
                    .log = handlers_.log}));
    serves_.set_unix_path(flight_path);
    if (server_->port() != 0) serves_.set_host(settings_.tls_host);
    serves_.set_port(server_->port());
    return {};
  }

  const std::string& reader_path() const { return reader_path_; }
  LocalFeeds& feeds() { return feeds_; }

  void OnMessage(const wire::ToExecutor& message) {
    tails_.OnMessage(message);
    feeds_.OnMessage(message);
  }

  void OnRegistered() {
    wire::FromExecutor message;
    *message.mutable_feed_serves() = serves_;
    handlers_.send(message);
    handlers_.send(tails_.Message());
    feeds_.OnRegistered();
  }
  void OnAttemptEnded() {
    socket_->CloseAll();
    feeds_.OnAttemptEnded();
  }

 private:
  const Settings settings_;
  const Handlers handlers_;
  const rpc::Post post_;
  FlightClient client_;
  LocalFeeds feeds_;
  LogTails tails_;
  LocalSources sources_;
  bool made_directory_ = false;
  std::string reader_path_;
  wire::FeedServes serves_;
  std::unique_ptr<ReaderSocket> socket_, source_socket_;
  std::unique_ptr<FlightServer> server_;
};

Result<std::unique_ptr<Hub>> Hub::Start(boost::asio::io_context& loop, Settings settings, Handlers handlers) {
  auto impl = std::make_unique<Impl>(loop, std::move(settings), std::move(handlers));
  HOWDAH_TRY_STATUS(impl->Listen(loop));
  return std::unique_ptr<Hub>(new Hub(std::move(impl)));
}

Hub::Hub(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hub::~Hub() = default;

const std::string& Hub::reader_path() const { return impl_->reader_path(); }
void Hub::OnRegistered() { impl_->OnRegistered(); }
void Hub::OnMessage(const wire::ToExecutor& message) { impl_->OnMessage(message); }
void Hub::OnStart(const wire::Start& start) { impl_->feeds().OnStart(start); }
void Hub::OnAttemptEnded() { impl_->OnAttemptEnded(); }
void Hub::OnStepLine(int local_rank, int64_t step) { impl_->feeds().OnStepLine(local_rank, step); }
void Hub::OnCheckpointLine(int local_rank, int64_t step) { impl_->feeds().OnCheckpointLine(local_rank, step); }

}  // namespace howdah::feed::server
