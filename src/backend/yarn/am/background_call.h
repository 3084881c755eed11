// Makes blocking calls on another thread, so that the AM's loop is never blocked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace howdah::backend::yarn::am {

// Makes one call at a time. The call runs on the other thread; all functions of this class must be called on the loop's
// thread.
class BackgroundCall {
 public:
  explicit BackgroundCall(boost::asio::io_context& loop);
  // Does not wait for a running call: its result is discarded when it finishes.
  ~BackgroundCall();

  bool running() const { return running_; }
  // Must not be called while running(). `call` runs on the other thread. It returns a function, which is called on the
  // loop unless this object has been destroyed before.
  void Start(std::function<std::function<void()>()> call);

 private:
  struct Mailbox {
    std::mutex mutex;
    boost::asio::io_context* loop = nullptr;  // null once the owner has been destroyed
    bool finished = false;                    // the call has ended, so its thread ends at once
  };
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::thread thread_;  // of the newest call, until its result is delivered
  bool running_ = false;
};

}  // namespace howdah::backend::yarn::am
