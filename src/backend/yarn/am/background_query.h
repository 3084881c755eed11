// Queries the ResourceManager on another thread, so that the AM's loop is never blocked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::am {

// Runs one query at a time. The query runs on the other thread; all functions of this class must be called on the
// loop's thread.
class BackgroundQuery {
 public:
  BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster);
  // Does not wait for a running query: its result is discarded when it finishes.
  ~BackgroundQuery();

  bool running() const { return running_; }
  // Must not be called while running(). `query` runs on the other thread and may use the client. It returns a function,
  // which is called on the loop unless this object has been destroyed before.
  void Start(std::function<std::function<void()>(HadoopClient& cluster)> query);

 private:
  struct Mailbox {
    std::mutex mutex;
    boost::asio::io_context* loop = nullptr;  // null once the owner has been destroyed
    bool finished = false;                    // the query has ended, so its thread ends at once
  };
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<HadoopClient> cluster_;  // shared with the thread
  std::thread thread_;                     // of the newest query, until its result is delivered
  bool running_ = false;
};

}  // namespace howdah::backend::yarn::am
