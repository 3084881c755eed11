#include "tensorboard.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "howdah/frameworks/tensorboard.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/storage/mirror.h"

namespace howdah::am {
namespace {

constexpr size_t kAnnouncementLimit = 64 << 10;
constexpr char kLog[] = "/tensorboard.log";
constexpr const char* kInstall =
    "there is no `tensorboard` in the job's python archive or in PATH, so no TensorBoard was started: run `pip install "
    "tensorboard`, or put it into the environment that `python: {archive: ...}` names";

std::string PathOf(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

std::unique_ptr<TensorBoard> TensorBoard::Start(boost::asio::io_context& loop, const os::process::Clock& clock,
                                                const Options& options, Report report) {
  std::unique_ptr<TensorBoard> self(new TensorBoard(loop, std::move(report)));
  const os::process::FoundCommand found = os::process::LookUpCommand("tensorboard", PathOf(options.environment), "/");
  if (found.error != 0) {
    self->ReportOnce("", kInstall);
    return self;
  }
  const auto logdir = self->Logdir(clock, options);
  if (!logdir.ok()) {
    self->ReportOnce("", "no TensorBoard was started: " + logdir.error().message);
    return self;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    self->ReportOnce("", os::files::SystemError("starting TensorBoard").message);
    return self;
  }
  self->output_.assign(ends[0]);
  const os::files::Fd write_end(ends[1]);
  auto child = os::process::SpawnOrError({
      .program = found.program,
      .argv = {"tensorboard", "--logdir", *logdir, "--host", "127.0.0.1", "--port", "0"},
      .environment = options.environment,
      .directory = "/",
      .stdout_fd = write_end.get(),
      .stderr_fd = write_end.get(),
      .death_signal = SIGKILL,  // the next AM starts its own TensorBoard
      .open_files = options.open_files,
  });
  if (!child.ok()) {
    self->ReportOnce("", "no TensorBoard was started: " + child.error().message);
    return self;
  }
  self->child_ = std::move(*child);
  if (auto log = os::files::OpenForAppend(options.log_directory + kLog); log.ok()) self->log_ = std::move(*log);
  self->ReadOutput();
  return self;
}

TensorBoard::TensorBoard(boost::asio::io_context& loop, Report report) : report_(std::move(report)), output_(loop) {}

Result<std::string> TensorBoard::Logdir(const os::process::Clock& clock, const Options& options) {
  const auto local = storage::LocalPath(options.logdir);
  const std::string shown = local.value_or(options.logdir_copy);
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(shown));
  if (local) return shown;
  HOWDAH_TRY(auto files, options.open_logdir());
  mirror_ = std::make_unique<EventMirror>(std::move(files), clock, storage::PathOfUri(options.logdir), shown,
                                          options.log_directory + kLog);
  return shown;
}

TensorBoard::~TensorBoard() {
  if (child_.pid < 0) return;
  kill(-child_.pid, SIGKILL);
  os::process::WaitFor(child_);
}

void TensorBoard::ReadOutput() {
  output_.async_read_some(boost::asio::buffer(buffer_), [this](const boost::system::error_code& error, size_t size) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) {
      if (!reported_)
        ReportOnce(
            "", "TensorBoard ended before it accepted connections; see tensorboard.log in the job's agents directory");
      return;
    }
    const std::string_view bytes(buffer_.data(), size);
    if (log_.valid() && !os::files::WriteAll(log_.get(), bytes, "tensorboard.log").ok()) log_.Close();
    if (!reported_ && seen_.size() < kAnnouncementLimit) {
      seen_ += bytes;
      if (const std::string url = frameworks::TensorBoardAddress(seen_); !url.empty()) ReportOnce(url, "");
    }
    ReadOutput();
  });
}

Result<uint16_t> TensorBoard::port() const {
  if (port_ != 0) return port_;
  return Failed(why_not_.empty() ? "TensorBoard is still starting" : why_not_);
}

void TensorBoard::ReportOnce(std::string url, std::string advice) {
  reported_ = true;
  port_ = frameworks::PortOf(url);
  why_not_ = advice;
  seen_.clear();
  report_({std::move(url), std::move(advice)});
}

}  // namespace howdah::am
