#include "index_reader.h"

namespace howdah::portal {

using index::query::JobPage;
using index::query::JobQuery;

IndexReader::IndexReader(std::string path, std::string costs)
    : thread_([this, path = std::move(path), costs = std::move(costs)] { Run(path, costs); }) {}

IndexReader::~IndexReader() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

bool IndexReader::Find(JobQuery query, OnPage on_page) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting) return false;
  waiting_.emplace_back(std::move(query), std::move(on_page));
  changed_.notify_all();
  return true;
}

void IndexReader::Run(const std::string& path, const std::string& costs) {
  index::Store store(path, costs);
  for (;;) {
    std::pair<JobQuery, OnPage> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (stopped_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    JobPage page = store.Find(next.first);
    // The rows that this thread would keep in memory are not those of the portal.
    next.second(store.problem().empty() ? std::optional(std::move(page)) : std::nullopt);
  }
}

}  // namespace howdah::portal
