// The TensorBoards that the portal runs: for jobs that have ended, and for several jobs together.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/os/process/spawn.h"
#include "services.h"

namespace howdah::portal {

// Each is a process of this machine with a directory that has a link to the event files of each job. The event files of
// one job of each backend are copied at a time, so that the other threads of the backend serve requests. Used on the
// loop's thread only.
class TensorBoards {
 public:
  static constexpr Duration kIdleLimit = std::chrono::minutes(10);
  static constexpr size_t kMost = 8;  // that run at the same time

  enum class State { kReading, kStarting, kServing, kFailed };

  struct View {
    std::string id;
    std::vector<std::string> jobs;  // ids, in the order of the request
    State state = State::kReading;
    std::string problem;    // of kFailed; otherwise what is missing, or ""
    Instant started, used;  // `used`: the last request
    Instant Ends() const { return used + kIdleLimit; }
  };

  explicit TensorBoards(Services& services) : services_(services), timer_(services.loop) {}
  ~TensorBoards();

  // Starts one for these jobs and returns its id. If there is one for the same jobs, returns that one.
  Result<std::string> Start(const std::vector<FoundJob>& jobs);
  // Ends it. Returns false if there is none with this id.
  bool Stop(const std::string& id);

  std::vector<View> List() const;

  // Calls `use`, perhaps within this call, when the TensorBoard serves, or with the reason why it does not.
  // kUnavailable: it is still starting after `patience`.
  void WhenServing(const std::string& id, Duration patience, std::function<void(Status status)> use);

  // The port for a request, which postpones the end. nullopt if it does not serve (any more).
  std::optional<uint16_t> Use(const std::string& id);

 private:
  struct Waiting {
    std::function<void(Status)> use;
    std::unique_ptr<boost::asio::steady_timer> limit;
  };
  struct Board {
    View view;
    std::shared_ptr<os::files::TemporaryDirectory> folder;  // readings in progress share it
    size_t unread = 0;                                      // jobs
    std::optional<os::process::Child> child;
    std::unique_ptr<boost::asio::posix::stream_descriptor> output;
    std::string printed;  // the end of its output
    char block[1024];
    uint16_t port = 0;
    std::map<uint64_t, Waiting> waiting;
    std::stop_source stop;  // of the readings in progress
  };
  struct Reading {
    std::string id;  // of the TensorBoard
    FoundJob job;
  };

  void Read(BackendService& backend);
  void OnRead(const std::string& id, const std::string& job, const Result<std::string>& directory);
  void Launch(Board& board);
  void ReadOutput(Board& board);
  void OnOutput(const std::string& id, const boost::system::error_code& error, size_t size);
  void Fail(Board& board, const std::string& problem);
  void Answer(Board& board, const Status& status);
  static void EndProcess(Board& board);
  void AwaitIdle();

  Services& services_;
  std::map<std::string, std::unique_ptr<Board>> boards_;  // by id
  uint64_t last_number_ = 0;
  boost::asio::steady_timer timer_;                    // until the next one ends
  std::map<std::string, std::deque<Reading>> unread_;  // by backend
  std::set<std::string> reading_;                      // the backends with a reading in progress
};

std::string_view ToText(TensorBoards::State state);

}  // namespace howdah::portal
