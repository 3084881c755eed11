// Queries the index on a thread of its own, because a query of a large index takes tens of milliseconds.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "howdah/index/store.h"

namespace howdah::portal {

// All methods are thread-safe.
class IndexReader {
 public:
  static constexpr size_t kMostWaiting = 64;
  // Called on the reader's thread; without a page if the file cannot be used.
  using OnPage = std::function<void(std::optional<index::query::JobPage> page)>;

  // path, costs: see index::Store.
  IndexReader(std::string path, std::string costs);
  // Waits for the query in progress, and drops the others.
  ~IndexReader();
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  // Returns false, and does nothing, if kMostWaiting queries already wait.
  bool Find(index::query::JobQuery query, OnPage on_page);

 private:
  void Run(const std::string& path, const std::string& costs);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<index::query::JobQuery, OnPage>> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace howdah::portal
