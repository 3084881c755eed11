#include "howdah/hadoop/fileserver/serve.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "frame.h"
#include "memory.h"
#include "request.h"
#include "session.h"

namespace howdah::hadoop::fileserver {
namespace {

// Writes the answers of all threads.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  // After an error the reader of the answers has ended, and so will the input.
  void Send(const Answer& answer) {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = !WriteFrame(fd_, answer.header, answer.payload).ok();
  }

 private:
  const int fd_;
  std::mutex mutex_;
  bool failed_ = false;
};

// A thread with a session. It carries out its requests in order.
class Worker {
 public:
  Worker(const Source& source, const Memory* memory, Output& output, size_t index)
      : session_(source, memory, static_cast<int64_t>(index + kMaxThreads), kMaxThreads),
        output_(output),
        thread_([this] { Run(); }) {}
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Add(Request request, std::string payload) {
    {
      const std::lock_guard lock(mutex_);
      queue_.emplace_back(std::move(request), std::move(payload));
      ++load_;
    }
    changed_.notify_one();
  }
  // The number of requests that are not answered and of files that are open.
  size_t load() const { return load_; }

 private:
  void Run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      const auto [request, payload] = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      const Answer answer = session_.Do(request, payload);
      lock.lock();
      load_ = queue_.size() + session_.open_files();
      lock.unlock();
      output_.Send(answer);
    }
  }

  Session session_;  // used by thread_ only
  Output& output_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Request, std::string>> queue_;
  bool stop_ = false;
  std::atomic<size_t> load_ = 0;
  std::thread thread_;  // the last member, because it uses the others
};

class Workers {
 public:
  Workers(const Source& source, const Memory* memory, Output& output)
      : source_(source), memory_(memory), output_(output) {}

  void Add(Request request, std::string payload) {
    Worker& worker = request.file > 0 ? OwnerOf(request.file) : LeastLoaded();
    worker.Add(std::move(request), std::move(payload));
  }

 private:
  // A number that no session has given out is an error of any session.
  Worker& OwnerOf(int64_t file) {
    const auto index = static_cast<size_t>(file) % kMaxThreads;
    return index < workers_.size() ? *workers_[index] : LeastLoaded();
  }
  Worker& LeastLoaded() {
    const auto least = std::ranges::min_element(workers_, {}, [](const auto& worker) { return worker->load(); });
    const bool busy = least == workers_.end() || (*least)->load() > 0;
    if (!busy || workers_.size() == kMaxThreads) return **least;
    return *workers_.emplace_back(std::make_unique<Worker>(source_, memory_, output_, workers_.size()));
  }

  const Source& source_;
  const Memory* const memory_;
  Output& output_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

Status Serve(const Streams& streams, const Source& source, const std::function<void()>& on_end) {
  std::optional<Memory> memory;
  if (streams.memory >= 0) {
    HOWDAH_TRY(Memory mapped, Memory::Map(streams.memory));
    memory.emplace(std::move(mapped));
  }
  Output output(streams.out);
  Workers workers(source, memory ? &*memory : nullptr, output);
  const auto serve = [&]() -> Status {
    for (;;) {
      HOWDAH_TRY(std::optional<Frame> frame, ReadFrame(streams.in));
      if (!frame) return {};
      HOWDAH_TRY(Request request, ParseRequest(frame->header));
      workers.Add(std::move(request), std::move(frame->payload));
    }
  };
  const Status served = serve();
  if (on_end) on_end();
  return served;
}

}  // namespace howdah::hadoop::fileserver
