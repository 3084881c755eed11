// Threads that make the blocking calls to one backend.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::portal {

// Makes a connection of its own for each thread, because a Cluster belongs to one thread. Called on any thread.
using ClusterMaker = std::function<Result<std::unique_ptr<backend::Cluster>>()>;

// Each backend has its own pool, so that a slow backend does not delay another. All methods are thread-safe.
class BackendPool {
 public:
  static constexpr size_t kMostWaiting = 64;

  // Runs on one of the threads. The cluster is an error if the connection could not be made.
  using Work = std::function<void(const Result<backend::Cluster*>& cluster)>;

  BackendPool(ClusterMaker make_cluster, size_t threads);
  // Waits for the calls in progress.
  ~BackendPool();
  BackendPool(const BackendPool&) = delete;
  BackendPool& operator=(const BackendPool&) = delete;

  // Returns false, and does nothing, if kMostWaiting calls already wait for a thread.
  bool Post(Work work);
  // Drops the waiting calls and accepts no more. Returns whether all threads have ended within the limit.
  bool Stop(Duration limit);

 private:
  void Run();

  ClusterMaker make_cluster_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool stopped_ = false;
  size_t running_threads_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace howdah::portal
