// Queries the ResourceManager on another thread, so that the AM's loop is never blocked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>

#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::am {

// Runs one query at a time. Only the query itself runs on the other thread; use this object on the loop's thread.
class BackgroundQuery {
 public:
  BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster);
  // Does not wait. A running query finishes in the background, and its result is discarded.
  ~BackgroundQuery();

  bool running() const { return running_; }
  // Must not be called while running(). query is called on another thread, with exclusive use of the client. It returns
  // a function, which is called on the loop unless this object has been destroyed.
  void Start(std::function<std::function<void()>(HadoopClient& cluster)> query);

 private:
  struct Mailbox {
    std::mutex mutex;
    boost::asio::io_context* loop = nullptr;  // null once the owner has been destroyed
  };
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<HadoopClient> cluster_;  // shared with the thread
  bool running_ = false;
};

}  // namespace howdah::backend::yarn::am
