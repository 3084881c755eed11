// Reads the state of each backend's cluster: often while somebody looks at it, and otherwise once a minute for the
// history. All pages and programs share these readings, so the load on a backend does not grow with their number.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster_history.h"
#include "cluster_sample.h"
#include "services.h"

namespace howdah::portal {

// The time from the end of one reading to the begin of the next. A reading that takes long is repeated less often.
// Pure.
Duration PauseBetweenSamples(bool is_watched, bool is_failing, Duration cost);

// Used on the loop's thread only. The readings are made by the pools of the backends.
class ClusterSampler {
 public:
  // Called when the content of a backend's newest reading, or its problem, has changed.
  using OnChange = std::function<void(const std::string& backend)>;

  // folder: the histories are files in it.
  ClusterSampler(Services& services, const std::string& folder, OnChange on_change);
  ~ClusterSampler();

  // Begins to read the backends of `services`.
  void Start();
  // Whether somebody looks at the cluster.
  void SetWatched(bool is_watched);
  // Calls `done` once the state of each backend is recent, or after a few seconds.
  void Await(std::function<void()> done);

  // The backends that run jobs.
  const std::vector<std::string>& backends() const { return backends_; }
  // backend: one of them.
  const ClusterState& StateOf(const std::string& backend) const;
  const ClusterHistory& HistoryOf(const std::string& backend) const;

 private:
  struct Source {
    ClusterState state;
    std::unique_ptr<ClusterHistory> history;
    std::unique_ptr<boost::asio::steady_timer> timer;
    bool is_reading = false;
    Instant begun, ended;  // of the newest reading
  };
  // A request that waits for the states of these backends.
  struct Waiter {
    std::set<std::string> backends;
    std::function<void()> done;
    std::unique_ptr<boost::asio::steady_timer> limit;
  };
  void Read(const std::string& backend);
  void Take(const std::string& backend, const Result<ClusterSample>& sample);
  void SetProblem(const std::string& backend, const std::string& problem);
  void Schedule(const std::string& backend);
  bool IsRecent(const Source& source) const;
  void Release(const std::string& backend);

  Services& services_;
  std::string folder_;
  OnChange on_change_;
  bool is_watched_ = false;
  std::vector<std::string> backends_;
  std::map<std::string, Source> sources_;  // by backend
  std::vector<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace howdah::portal
