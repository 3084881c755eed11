#include "backend_pool.h"

#include <utility>

namespace howdah::portal {

BackendPool::BackendPool(ClusterMaker make_cluster, size_t threads)
    : make_cluster_(std::move(make_cluster)), running_threads_(threads) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

BackendPool::~BackendPool() {
  Stop({});
  for (std::thread& thread : threads_) thread.join();
}

bool BackendPool::Post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

bool BackendPool::Stop(Duration limit) {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  waiting_.clear();
  changed_.notify_all();
  return changed_.wait_for(lock, limit, [this] { return running_threads_ == 0; });
}

void BackendPool::Run() {
  std::unique_ptr<backend::Cluster> cluster;
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) {
      --running_threads_;
      changed_.notify_all();
      return;
    }
    const Work work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    if (!cluster) {
      auto made = make_cluster_();
      if (!made.ok()) {
        work(made.error());
        continue;
      }
      cluster = std::move(*made);
    }
    work(cluster.get());
  }
}

}  // namespace howdah::portal
