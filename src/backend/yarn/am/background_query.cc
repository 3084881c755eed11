#include "background_query.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace howdah::backend::yarn::am {

BackgroundQuery::BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster)
    : cluster_(std::make_shared<HadoopClient>(std::move(cluster))) {
  mailbox_->loop = &loop;
}

BackgroundQuery::~BackgroundQuery() {
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

void BackgroundQuery::Start(std::function<std::function<void()>(HadoopClient& cluster)> query) {
  running_ = true;
  mailbox_->finished = false;  // no other thread uses the mailbox now
  thread_ = std::thread([this, mailbox = mailbox_, cluster = cluster_, query = std::move(query)] {
    cluster->TakeNewerCredentials();
    auto deliver = query(*cluster);
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
