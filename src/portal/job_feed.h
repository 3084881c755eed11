// Keeps the rows of one backend's jobs up to date, and follows the jobs that somebody is viewing.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "backend_pool.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"
#include "job_rows.h"

namespace howdah::portal {

// The state of the connection to a backend.
struct BackendState {
  enum class Kind { kLoading, kOk, kFailing };
  Kind kind = Kind::kLoading;
  bool complete = false;  // every job has been listed once
  std::string detail;     // kFailing: the reason
  Instant since;          // of this kind
};

// A thread with its own connection to the backend. It lists all jobs, newest first, and then reads each job that
// changes. A job whose reading takes long is read less often.
class JobFeed {
 public:
  // Called on the feed's thread.
  struct Events {
    std::function<void(std::vector<JobRow> rows, std::vector<std::string> removed)> on_rows;
    std::function<void(const BackendState& state)> on_state;
    // The next entries of a followed job. caught_up: everything that existed at the start of the follow was passed on.
    // restarted: the entries begin with the first one again.
    std::function<void(const JobId& id, std::vector<core::JournalEntry> entries, bool caught_up, bool restarted)>
        on_entries;
    std::function<void(const JobId& id, const Error& error)> on_follow_failed;
  };

  // The jobs of the backend that the index had at the start.
  struct Indexed {
    std::unordered_set<std::string> ended;  // these are not read again
    std::vector<std::string> unfinished;    // these are read first; they may be gone
  };

  JobFeed(ClusterMaker make_cluster, Prices prices, Indexed indexed, Events events);
  // Waits for a call in progress.
  ~JobFeed();

  // These three are thread-safe and return at once.
  void Follow(const JobId& id);
  void Unfollow(const JobId& id);
  // Reads all jobs again, because the index has lost rows.
  void Relist();
  // Returns whether the thread has ended within the limit.
  bool Stop(Duration limit);

 private:
  struct Followed {
    std::unique_ptr<backend::Follow> follow;
    bool is_new = true;  // nothing was delivered yet
    bool caught_up = false;
    bool has_ended = false;  // the last entry of the job was delivered
    Instant retry_at;        // while there is no follow
  };
  struct Live {
    Instant read_at;       // when the row was last read
    Duration cost{};       // how long this took
    bool changed = false;  // since then
  };
  // Orders of other threads.
  struct Orders {
    std::mutex mutex;
    std::vector<std::pair<JobId, bool>> list;  // true: follow
    bool relist = false;
    os::files::Fd wake;  // an eventfd
  };
  struct Reconnect {
    Instant at;
    Duration pause{};
  };
  struct Jobs {
    std::deque<JobId> unlisted;             // of the first listing
    std::map<JobId, Live> live;             // jobs that have not ended
    std::unordered_set<std::string> ended;  // in the index
  };
  // Rows that were read, and not passed on yet.
  struct Batch {
    std::vector<JobRow> rows;
    std::vector<std::string> removed;
  };

  void Run();
  bool Connect();
  void SetState(BackendState::Kind kind, const std::string& detail);
  void WaitForEvents();
  void TakeOrders();
  void TakeChanges();
  void ReadFollowed(const JobId& id, Followed& followed);
  // Reads rows for a short time. Returns when the next row is due.
  void ReadRows();
  void ReadOne(const JobId& id);
  void Flush();
  std::optional<Instant> NextDue() const;
  static Instant DueAt(const Live& live);
  void Order(const JobId& id, bool follow);

  ClusterMaker make_cluster_;
  Prices prices_;
  Events events_;
  os::process::Clock clock_;

  Orders orders_;
  std::atomic<bool> stopped_ = false, ended_ = false;

  // The members below belong to the thread.
  std::unique_ptr<backend::Cluster> cluster_;
  std::unique_ptr<backend::JobWatch> watch_;
  BackendState state_;
  Reconnect reconnect_;
  Jobs jobs_;
  std::map<JobId, Followed> followed_;
  Batch batch_;
  std::thread thread_;
};

}  // namespace howdah::portal
