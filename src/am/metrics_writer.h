// Writes the file `metrics` on a thread of its own, so that a slow disk does not delay the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#include <thread>

#include "howdah/base/result.h"

namespace howdah::am {

// Call it only on the loop's thread.
class MetricsWriter {
 public:
  // path: the file. Each write replaces it atomically.
  MetricsWriter(boost::asio::io_context& loop, std::string path) : loop_(loop), path_(std::move(path)) {}
  // Waits for a write in progress.
  ~MetricsWriter() = default;

  bool busy() const { return busy_; }
  // Starts a write unless busy(). `done` is called on the loop.
  void Write(std::string bytes, std::function<void(Status)> done);
  // Waits for a write in progress, then writes and returns. `done` of the write in progress may still be called later.
  Status WriteNow(const std::string& bytes);

 private:
  boost::asio::io_context& loop_;
  const std::string path_;
  bool busy_ = false;
  std::jthread thread_;  // the last member, because the thread uses the others
};

}  // namespace howdah::am
