#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "channel_io.h"
#include "howdah/base/exit_status.h"
#include "howdah/rpc/streams/remote_endpoint.h"

namespace howdah::rpc::streams {
namespace {

// After the process has ended, its children have this time to close the output.
constexpr std::chrono::seconds kOutputLimit{2};
constexpr std::chrono::seconds kHangUpLimit{5};

using os::files::Fd;

// One standard stream of the process: our end and the child's end.
struct Pipe {
  Fd ours, theirs;
};

std::optional<Pipe> MakePipe(bool we_read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{Fd(ends[we_read ? 0 : 1]), Fd(ends[we_read ? 1 : 0])};
  fcntl(made.ours.get(), F_SETFL, O_NONBLOCK);
  return made;
}

void SetSize(int terminal, uint32_t rows, uint32_t columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  ioctl(terminal, TIOCSWINSZ, &size);
}

std::optional<Pipe> MakeTerminal(const RemoteProcess::Terminal& terminal) {
  Pipe made{Fd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Fd()};
  char name[64];
  if (!made.ours.valid() || grantpt(made.ours.get()) != 0 || unlockpt(made.ours.get()) != 0 ||
      ptsname_r(made.ours.get(), name, sizeof name) != 0) {
    return std::nullopt;
  }
  made.theirs = Fd(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!made.theirs.valid()) return std::nullopt;
  SetSize(made.ours.get(), terminal.rows, terminal.columns);
  fcntl(made.ours.get(), F_SETFL, O_RDWR | O_NONBLOCK);
  return made;
}

class Process final : public RemoteProcess {
 public:
  Process(boost::asio::io_context& loop, Handlers handlers)
      : loop_(loop), handlers_(std::move(handlers)), timer_(loop) {}
  ~Process() override {
    if (in_) in_->Stop();
    for (const auto& out : outs_) out->Stop();
    timer_.cancel();
    if (!status_ && child_.pid > 0) kill(-child_.pid, SIGKILL);
  }

  std::optional<os::process::SpawnError> Begin(os::process::SpawnRequest request, const Terminal* terminal);

  pid_t pid() const override { return child_.pid; }
  void OnFrame(const wire::Frame& frame) override;
  void OnClosed() override;
  void OnExited(const ExitStatus& status) override;

 private:
  std::shared_ptr<ChannelReader> MakeOut(Fd fd, wire::Channel channel);
  void MakeIn(std::shared_ptr<Fd> fd, ChannelWriter::AtEnd at_end);
  void Arm(std::chrono::seconds limit, void (Process::*then)());
  void Kill() { kill(-child_.pid, SIGKILL); }
  void TellExit();
  void OnOutputEnded();

  boost::asio::io_context& loop_;
  Handlers handlers_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  os::process::Child child_;
  std::shared_ptr<Fd> terminal_;  // the master side of the pseudoterminal
  std::shared_ptr<ChannelWriter> in_;
  std::vector<std::shared_ptr<ChannelReader>> outs_;  // indexed by channel - OUTPUT
  std::optional<ExitStatus> status_;
  bool closed_ = false;
};

std::optional<os::process::SpawnError> Process::Begin(os::process::SpawnRequest request, const Terminal* terminal) {
  const auto fail = [] { return os::process::SpawnError{os::process::SpawnStep::kCreate, errno}; };
  std::optional<Pipe> in, out, err;
  if (terminal != nullptr) {
    out = MakeTerminal(*terminal);
    if (!out) return fail();
    request.stdin_fd = request.stdout_fd = request.stderr_fd = out->theirs.get();
    request.new_session = request.controlling_terminal = true;
  } else {
    in = MakePipe(false);
    out = MakePipe(true);
    err = MakePipe(true);
    if (!in || !out || !err) return fail();
    request.stdin_fd = in->theirs.get();
    request.stdout_fd = out->theirs.get();
    request.stderr_fd = err->theirs.get();
  }
  auto spawned = os::process::Spawn(request);
  if (const auto* error = std::get_if<os::process::SpawnError>(&spawned)) return *error;
  child_ = std::get<os::process::Child>(std::move(spawned));
  wire::Frame frame;
  frame.mutable_opened();
  handlers_.send(frame);
  if (terminal != nullptr) {
    terminal_ = std::make_shared<Fd>(std::move(out->ours));
    MakeIn(terminal_, ChannelWriter::AtEnd::kEndOfFile);
    outs_.push_back(MakeOut(Fd(fcntl(terminal_->get(), F_DUPFD_CLOEXEC, 3)), wire::OUTPUT));
  } else {
    MakeIn(std::make_shared<Fd>(std::move(in->ours)), ChannelWriter::AtEnd::kClose);
    outs_.push_back(MakeOut(std::move(out->ours), wire::OUTPUT));
    outs_.push_back(MakeOut(std::move(err->ours), wire::ERRORS));
  }
  return std::nullopt;
}

std::shared_ptr<ChannelReader> Process::MakeOut(Fd fd, wire::Channel channel) {
  auto reader = std::make_shared<ChannelReader>(
      loop_, std::make_shared<Fd>(std::move(fd)), channel,
      ChannelReader::Handlers{handlers_.send, [this] { OnOutputEnded(); }, [this](const Error&) { OnOutputEnded(); }});
  reader->Start();
  return reader;
}

void Process::MakeIn(std::shared_ptr<Fd> fd, ChannelWriter::AtEnd at_end) {
  // A write error is ignored, because the process may close its stdin and keep running.
  in_ = std::make_shared<ChannelWriter>(loop_, std::move(fd), ChannelWriter::Options{wire::INPUT, at_end, false},
                                        ChannelWriter::Handlers{handlers_.send, [] {}, [](const Error&) {}});
}

void Process::Arm(std::chrono::seconds limit, void (Process::*then)()) {
  timer_.expires_after(limit);
  timer_.async_wait([this, then, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) (this->*then)();
  });
}

void Process::OnFrame(const wire::Frame& frame) {
  switch (frame.kind_case()) {
    case wire::Frame::kData:
      if (!in_->Add(frame.data().bytes())) OnClosed();
      return;
    case wire::Frame::kEnd:
      return in_->End();
    case wire::Frame::kTaken:
      if (const int channel = frame.taken().channel(); channel == wire::OUTPUT || channel == wire::ERRORS) {
        const auto at = static_cast<size_t>(channel - wire::OUTPUT);
        if (at < outs_.size()) outs_[at]->OnAcknowledged(frame.taken().bytes());
      }
      return;
    case wire::Frame::kSignal:
      if (!status_ && frame.signal() > 0 && frame.signal() < NSIG) kill(-child_.pid, frame.signal());
      return;
    case wire::Frame::kWindowSize:
      if (terminal_) SetSize(terminal_->get(), frame.window_size().rows(), frame.window_size().columns());
      return;
    default:
      return;
  }
}

void Process::OnClosed() {
  if (std::exchange(closed_, true)) return;
  in_->Stop();
  for (const auto& out : outs_) out->Stop();
  if (status_) {
    timer_.cancel();
    if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(true);  // may destroy *this
    return;
  }
  kill(-child_.pid, SIGHUP);
  kill(-child_.pid, SIGCONT);
  Arm(kHangUpLimit, &Process::Kill);
}

void Process::OnExited(const ExitStatus& status) {
  status_ = status;
  timer_.cancel();
  if (closed_) {
    if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(true);  // may destroy *this
    return;
  }
  Arm(kOutputLimit, &Process::TellExit);
  OnOutputEnded();
}

void Process::OnOutputEnded() {
  if (!status_ || closed_) return;
  for (const auto& out : outs_) {
    if (!out->ended()) return;
  }
  TellExit();
}

void Process::TellExit() {
  timer_.cancel();
  closed_ = true;
  in_->Stop();
  for (const auto& out : outs_) out->Stop();
  wire::Frame frame;
  if (status_->signal) {
    frame.mutable_exited()->set_signal(*status_->signal);
  } else {
    frame.mutable_exited()->set_code(*status_->code);
  }
  handlers_.send(frame);
  if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(false);  // may destroy *this
}

}  // namespace

std::variant<std::unique_ptr<RemoteProcess>, os::process::SpawnError> RemoteProcess::Start(
    boost::asio::io_context& loop, os::process::SpawnRequest request, const Terminal* terminal, Handlers handlers) {
  auto made = std::make_unique<Process>(loop, std::move(handlers));
  if (const auto error = made->Begin(std::move(request), terminal)) return *error;
  return std::unique_ptr<RemoteProcess>(std::move(made));
}

}  // namespace howdah::rpc::streams
