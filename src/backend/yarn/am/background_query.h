// Queries the ResourceManager on a thread of its own, so that the AM's loop is never blocked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>

#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::am {

// One query at a time. Everything but the query itself runs on the loop's thread.
class BackgroundQuery {
 public:
  BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster);
  // Does not wait: a query that has not been answered finishes in the background, and its result is dropped.
  ~BackgroundQuery();

  bool running() const { return running_; }
  // Must not be called while running(). query: called on another thread, with exclusive use of the client. The function
  // that it returns is called on the loop unless this object has been destroyed.
  void Start(std::function<std::function<void()>(HadoopClient& cluster)> query);

 private:
  struct Mailbox {
    std::mutex mutex;
    boost::asio::io_context* loop = nullptr;  // null: the owner has been destroyed
  };
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<HadoopClient> cluster_;  // shared with the thread
  bool running_ = false;
};

}  // namespace howdah::backend::yarn::am
