#include "tensorboards.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/client/local_tensorboard.h"
#include "howdah/frameworks/tensorboard.h"
#include "howdah/os/files/files.h"
#include "stored_job.h"

namespace howdah::portal {
namespace {

constexpr size_t kMostPrinted = 4096;

// The directory with the event files of a job. Blocks.
Result<std::string> DirectoryOf(backend::Cluster& cluster, const JobId& id, const std::string& folder,
                                const std::stop_token& stop) {
  HOWDAH_TRY(const jobspec::JobSpec spec, ReadStoredJob(cluster, id, /*reveal=*/false));
  if (spec.tensorboard_logdir.empty())
    return Error::WithRemedy(ErrorCode::kFailed, id.text + " has no TensorBoard",
                             "set `tensorboard: {logdir: ...}` in the job file");
  const std::string copy = folder + "/." + id.text;
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(copy, 0700));
  HOWDAH_TRY(const client::EventFiles files, client::FindEventFiles(cluster, spec.tensorboard_logdir, copy, stop));
  if (symlink(files.directory.c_str(), (folder + "/" + id.text).c_str()) != 0)
    return os::files::SystemError("making a link in " + folder);
  return files.problem;
}

}  // namespace

TensorBoards::~TensorBoards() {
  for (auto& [id, board] : boards_) {
    board->stop.request_stop();
    EndProcess(*board);
  }
}

Result<std::string> TensorBoards::Start(const std::vector<FoundJob>& jobs) {
  View view{.started = services_.clock.Now(), .used = services_.clock.Now()};
  for (const FoundJob& job : jobs) {
    if (std::find(view.jobs.begin(), view.jobs.end(), job.id.text) == view.jobs.end()) view.jobs.push_back(job.id.text);
  }
  for (const auto& [id, board] : boards_) {
    if (board->view.jobs == view.jobs && board->view.state != State::kFailed) return id;
  }
  std::erase_if(boards_, [](const auto& entry) { return entry.second->view.state == State::kFailed; });
  if (boards_.size() >= kMost)
    return Error::WithRemedy(ErrorCode::kFailed, "this portal runs " + std::to_string(kMost) + " TensorBoards already",
                             "stop one of them on the page Notebooks");
  HOWDAH_TRY(auto folder, os::files::TemporaryDirectory::Make("tensorboard"));
  view.id = std::to_string(++last_number_);
  Board& board = *(boards_[view.id] = std::make_unique<Board>());
  board.view = view;
  board.folder = std::make_shared<os::files::TemporaryDirectory>(std::move(folder));
  board.unread = view.jobs.size();
  for (const std::string& id : view.jobs) {
    const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const FoundJob& each) { return each.id.text == id; });
    unread_[job->backend->name].push_back({view.id, *job});
    Read(*job->backend);
  }
  AwaitIdle();
  return view.id;
}

// Begins the next reading, unless one is in progress.
void TensorBoards::Read(BackendService& backend) {
  std::deque<Reading>& unread = unread_[backend.name];
  std::erase_if(unread, [this](const Reading& reading) { return !boards_.contains(reading.id); });
  if (unread.empty() || !reading_.insert(backend.name).second) return;
  const auto [id, job] = std::move(unread.front());
  unread.pop_front();
  // This object may be gone before the thread calls it, but not before the loop has ended.
  const auto done = [this, loop = &services_.loop, id = id, job = job](const Result<std::string>& problem) {
    boost::asio::post(*loop, [this, id, job, problem] {
      reading_.erase(job.backend->name);
      OnRead(id, job.id.text, problem);
      Read(*job.backend);
    });
  };
  const Board& board = *boards_[id];
  const bool posted = backend.pool->Post(
      [done, job = job.id, folder = board.folder, stop = board.stop.get_token()](const auto& cluster) {
        done(cluster.ok() ? DirectoryOf(**cluster, job, folder->path(), stop) : Result<std::string>(cluster.error()));
      });
  if (!posted)
    done(Failed("too many requests wait for the backend '" + backend.name + "'; try again in a few seconds"));
}

void TensorBoards::OnRead(const std::string& id, const std::string& job, const Result<std::string>& problem) {
  const auto found = boards_.find(id);
  if (found == boards_.end()) return;
  Board& board = *found->second;
  const std::string text = problem.ok() ? *problem : problem.error().message;
  if (!text.empty()) board.view.problem += (board.view.problem.empty() ? "" : "; ") + job + ": " + text;
  if (!problem.ok()) {
    board.view.jobs.erase(std::find(board.view.jobs.begin(), board.view.jobs.end(), job));
  }
  if (--board.unread > 0) return;
  if (board.view.jobs.empty()) return Fail(board, board.view.problem);
  Launch(board);
}

void TensorBoards::Launch(Board& board) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(board, os::files::SystemError("starting TensorBoard").message);
  os::files::Fd read_end(ends[0]);
  const os::files::Fd write_end(ends[1]);
  auto child = client::StartTensorBoard(board.folder->path(), 0, write_end.get());
  if (!child.ok()) return Fail(board, child.error().message);
  board.child = std::move(*child);
  board.view.state = State::kStarting;
  board.output = std::make_unique<boost::asio::posix::stream_descriptor>(services_.loop, read_end.Release());
  ReadOutput(board);
}

void TensorBoards::ReadOutput(Board& board) {
  board.output->async_read_some(boost::asio::buffer(board.block),
                                [this, id = board.view.id](const boost::system::error_code& error, size_t size) {
                                  if (error != boost::asio::error::operation_aborted) OnOutput(id, error, size);
                                });
}

void TensorBoards::OnOutput(const std::string& id, const boost::system::error_code& error, size_t size) {
  const auto found = boards_.find(id);
  if (found == boards_.end()) return;
  Board& board = *found->second;
  if (error) return Fail(board, "TensorBoard has ended; its last output: " + board.printed);
  board.printed.append(board.block, size);
  if (board.view.state == State::kStarting) {
    board.port = frameworks::PortOf(frameworks::TensorBoardAddress(board.printed));
    if (board.port != 0) {
      board.view.state = State::kServing;
      Answer(board, {});
    }
  }
  if (board.printed.size() > kMostPrinted) board.printed.erase(0, board.printed.size() - kMostPrinted);
  ReadOutput(board);
}

void TensorBoards::Fail(Board& board, const std::string& problem) {
  board.view.state = State::kFailed;
  board.view.problem = problem;
  EndProcess(board);
  Answer(board, Failed(problem));
}

void TensorBoards::Answer(Board& board, const Status& status) {
  for (auto& [number, waiting] : std::exchange(board.waiting, {})) waiting.use(status);
}

// It has no state that it would save.
void TensorBoards::EndProcess(Board& board) {
  board.output.reset();
  if (!board.child) return;
  kill(-board.child->pid, SIGKILL);
  os::process::WaitFor(*board.child);
  board.child.reset();
}

bool TensorBoards::Stop(const std::string& id) {
  const auto found = boards_.find(id);
  if (found == boards_.end()) return false;
  const auto board = std::move(found->second);
  boards_.erase(found);
  board->stop.request_stop();
  EndProcess(*board);
  Answer(*board, Failed("TensorBoard was stopped"));
  return true;
}

std::vector<TensorBoards::View> TensorBoards::List() const {
  std::vector<View> views;
  for (const auto& [id, board] : boards_) views.push_back(board->view);
  std::sort(views.begin(), views.end(), [](const View& a, const View& b) { return a.started > b.started; });
  return views;
}

void TensorBoards::WhenServing(const std::string& id, Duration patience, std::function<void(Status)> use) {
  const auto found = boards_.find(id);
  if (found == boards_.end()) return use(Error{ErrorCode::kNotFound, "no TensorBoard '" + id + "' runs here"});
  Board& board = *found->second;
  board.view.used = services_.clock.Now();
  if (board.view.state == State::kServing) return use({});
  if (board.view.state == State::kFailed) return use(Failed(board.view.problem));
  const uint64_t number = ++last_number_;
  auto limit = std::make_unique<boost::asio::steady_timer>(services_.loop, patience);
  limit->async_wait([this, id, number](const boost::system::error_code& error) {
    const auto now = boards_.find(id);
    if (error || now == boards_.end()) return;
    if (auto waiting = now->second->waiting.extract(number))
      waiting.mapped().use(Error{ErrorCode::kUnavailable, "TensorBoard is still starting"});
  });
  board.waiting[number] = {std::move(use), std::move(limit)};
}

std::optional<uint16_t> TensorBoards::Use(const std::string& id) {
  const auto found = boards_.find(id);
  if (found == boards_.end() || found->second->view.state != State::kServing) return std::nullopt;
  found->second->view.used = services_.clock.Now();
  return found->second->port;
}

// Ends those that were not used for long enough, and waits for the next one.
void TensorBoards::AwaitIdle() {
  const Instant now = services_.clock.Now();
  std::vector<std::string> idle;
  std::optional<Instant> next;
  for (const auto& [id, board] : boards_) {
    const Instant ends = board->view.Ends();
    if (ends <= now) {
      idle.push_back(id);
    } else {
      next = std::min(next.value_or(ends), ends);
    }
  }
  for (const std::string& id : idle) Stop(id);
  if (!next) return;
  timer_.expires_after(*next - now);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) AwaitIdle();
  });
}

std::string_view ToText(TensorBoards::State state) {
  switch (state) {
    case TensorBoards::State::kReading:
      return "reading";
    case TensorBoards::State::kStarting:
      return "starting";
    case TensorBoards::State::kServing:
      return "serving";
    case TensorBoards::State::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace howdah::portal
