// Asks the ResourceManager something while the loop goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>

#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::am {

// One question at a time. All but the question itself is on the loop's thread.
class BackgroundQuery {
 public:
  BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster);
  // A question that a silent ResourceManager has not answered yet is left behind, and holds up nobody's end.
  ~BackgroundQuery();

  bool asking() const { return asking_; }
  // question: runs on a thread of its own, with the cluster to itself; what it returns is called on the loop, unless
  // this object is gone by then. Not while asking().
  void Ask(std::function<std::function<void()>(HadoopClient& cluster)> question);

 private:
  struct Mailbox {
    std::mutex mutex;
    boost::asio::io_context* loop = nullptr;  // none: nobody waits for an answer any more
  };
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<HadoopClient> cluster_;  // shared with the thread that asks
  bool asking_ = false;
};

}  // namespace howdah::backend::yarn::am
