#include "background_call.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace howdah::backend::yarn::am {

BackgroundCall::BackgroundCall(boost::asio::io_context& loop) { mailbox_->loop = &loop; }

BackgroundCall::~BackgroundCall() {
  bool finished = false;
  {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->loop = nullptr;
    finished = mailbox_->finished;
  }
  if (!thread_.joinable()) return;
  if (finished) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void BackgroundCall::Start(std::function<std::function<void()>()> call) {
  running_ = true;
  mailbox_->finished = false;  // no other thread uses the mailbox now
  thread_ = std::thread([this, mailbox = mailbox_, call = std::move(call)] {
    auto deliver = call();
    const std::lock_guard lock(mailbox->mutex);
    mailbox->finished = true;
    if (mailbox->loop == nullptr) return;
    boost::asio::post(*mailbox->loop, [this, mailbox, deliver = std::move(deliver)] {
      if (mailbox->loop == nullptr) return;
      thread_.join();
      running_ = false;
      deliver();
    });
  });
}

}  // namespace howdah::backend::yarn::am
