#include "howdah/rpc/streams/run_remote.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "channel_io.h"
#include "howdah/rpc/frames.h"
#include "run_over_stream.h"
#include "terminal.h"

namespace howdah::rpc::streams {
namespace {

namespace asio = boost::asio;

constexpr Duration kAmConnectLimit = std::chrono::seconds(10);
constexpr int kBySignal = 128, kMostExitCode = 255;

// A number that no process can have as its exit code becomes the nearest one, so that a failure stays a failure.
int ExitCodeOf(const wire::Exited& exited) {
  if (!exited.has_signal()) return exited.code() < 0 ? kMostExitCode : std::min(exited.code(), kMostExitCode);
  return kBySignal + std::clamp(exited.signal(), 1, kMostExitCode - kBySignal);
}

std::shared_ptr<os::files::Fd> Shared(int fd) { return std::make_shared<os::files::Fd>(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

class Run {
 public:
  Run(asio::io_context& loop, const RemoteCommand& command) : loop_(loop), command_(command) {}
  ~Run() {
    if (in_) in_->Stop();
    for (const auto& out : {out_, err_}) {
      if (out) out->Stop();
    }
  }

  Result<int> ToEnd(const OpenStream& open);

 private:
  Status Begin(const OpenStream& open);
  std::shared_ptr<ChannelWriter> MakeOut(int fd, wire::Channel channel);
  wire::Frame Opening() const;
  void OnFrame(const wire::Frame& frame);
  void WatchSignals();
  void WatchSize();
  void EndIfWritten();
  void End(Result<int> result);

  asio::io_context& loop_;
  const RemoteCommand& command_;
  asio::signal_set signals_{loop_};
  asio::signal_set resizes_{loop_};  // waits for SIGWINCH if there is a terminal
  std::unique_ptr<rpc::FrameStream> stream_;
  std::optional<RawTerminal> raw_;
  std::shared_ptr<ChannelReader> in_;
  std::shared_ptr<ChannelWriter> out_, err_;
  int written_ = 0;               // number of out_ and err_ that have finished
  std::optional<int> exit_code_;  // set when the command has ended; its output may still be incomplete
  std::optional<Result<int>> result_;
};

Result<int> Run::ToEnd(const OpenStream& open) {
  HOWDAH_TRY_STATUS(Begin(open));
  const auto work = asio::make_work_guard(loop_);
  loop_.run();
  return *result_;
}

Status Run::Begin(const OpenStream& open) {
  if (command_.passes_signals) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signals_.add(number);
  }
  if (command_.terminal) {
    HOWDAH_TRY(auto raw, RawTerminal::Set(command_.in));
    raw_.emplace(std::move(raw));
    resizes_.add(SIGWINCH);
  }
  stream_ = open({[this](const wire::Frame& frame) { OnFrame(frame); },
                  [this](const std::string& why) {
                    End(Error{ErrorCode::kUnavailable, why});
                  }});
  stream_->Send(Opening());
  out_ = MakeOut(command_.out, wire::OUTPUT);
  err_ = MakeOut(command_.err, wire::ERRORS);
  if (command_.passes_signals) WatchSignals();
  if (command_.terminal) WatchSize();
  return {};
}

std::shared_ptr<ChannelWriter> Run::MakeOut(int fd, wire::Channel channel) {
  return std::make_shared<ChannelWriter>(
      loop_, Shared(fd), ChannelWriter::Options{channel, ChannelWriter::AtEnd::kNothing, true},
      ChannelWriter::Handlers{[this](const wire::Frame& frame) { stream_->Send(frame); }, [this] { EndIfWritten(); },
                              [this](const Error& error) {
                                const bool no_reader = error == os::files::SystemError("writing", EPIPE);
                                // The exit code of the command does not show that its output is incomplete.
                                exit_code_.reset();
                                // A program that writes to a closed pipe ends by SIGPIPE.
                                End(no_reader ? Result<int>(kBySignal + SIGPIPE)
                                              : error.While("the output of the command"));
                              }});
}

wire::Frame Run::Opening() const {
  wire::Frame frame;
  wire::Open& open = *frame.mutable_open();
  open.set_role(command_.role);
  open.set_index(command_.index);
  wire::Process& process = *open.mutable_process();
  for (const std::string& word : command_.argv) process.add_argv(word);
  if (!command_.terminal) return frame;
  process.set_terminal(true);
  const char* type = std::getenv("TERM");
  process.set_terminal_type(type != nullptr ? type : "dumb");
  *process.mutable_window_size() = WindowSizeOf(command_.in);
  return frame;
}

void Run::OnFrame(const wire::Frame& frame) {
  switch (frame.kind_case()) {
    case wire::Frame::kOpened:
      if (in_) return;
      in_ = std::make_shared<ChannelReader>(
          loop_, Shared(command_.in), wire::INPUT,
          ChannelReader::Handlers{[this](const wire::Frame& f) { stream_->Send(f); }, [] {},
                                  // `in` cannot be read, for example because it is closed.
                                  [this](const Error&) {
                                    wire::Frame end;
                                    end.set_end(wire::INPUT);
                                    stream_->Send(end);
                                  }});
      return in_->Start();
    case wire::Frame::kFailed:
      return End(
          Failed(frame.failed().empty() ? "the AM gave no reason why the command did not start" : frame.failed()));
    case wire::Frame::kData: {
      ChannelWriter& to = frame.data().channel() == wire::ERRORS ? *err_ : *out_;
      if (!to.Add(frame.data().bytes())) End(Failed("the application master exceeded the stream's window"));
      return;
    }
    case wire::Frame::kTaken:
      return in_ ? in_->OnAcknowledged(frame.taken().bytes()) : void();
    case wire::Frame::kExited:
      exit_code_ = ExitCodeOf(frame.exited());
      out_->End();
      err_->End();
      return;
    default:
      return;
  }
}

void Run::WatchSignals() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    wire::Frame frame;
    frame.set_signal(signal);
    stream_->Send(frame);
    WatchSignals();
  });
}

void Run::WatchSize() {
  resizes_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    wire::Frame frame;
    *frame.mutable_window_size() = WindowSizeOf(command_.in);
    stream_->Send(frame);
    WatchSize();
  });
}

// Called when out_ or err_ has written its last byte.
void Run::EndIfWritten() {
  if (++written_ == 2) End(*exit_code_);
}

void Run::End(Result<int> result) {
  if (result_) return;
  // Ignore failures of the connection after the command has ended.
  if (exit_code_ && !result.ok()) return;
  result_ = std::move(result);
  loop_.stop();
}

}  // namespace

Result<int> RunOverStream(asio::io_context& loop, const RemoteCommand& command, const OpenStream& open) {
  return Run(loop, command).ToEnd(open);
}

Result<int> RunRemote(const rpc::AmContact& am, const RemoteCommand& command) {
  asio::io_context loop(1);
  HOWDAH_TRY(const auto channel,
             rpc::FrameChannel::Make(
                 am.address, am.identity, [&loop](std::function<void()> f) { asio::post(loop, std::move(f)); },
                 kAmConnectLimit));
  return RunOverStream(loop, command, [&channel](rpc::FrameStream::Handlers handlers) {
    return channel->Open(rpc::FrameChannel::Method::kTunnel, std::move(handlers));
  });
}

}  // namespace howdah::rpc::streams
