#include "background_query.h"

#include <boost/asio/post.hpp>
#include <thread>
#include <utility>

namespace howdah::backend::yarn::am {

BackgroundQuery::BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster)
    : cluster_(std::make_shared<HadoopClient>(std::move(cluster))) {
  mailbox_->loop = &loop;
}

BackgroundQuery::~BackgroundQuery() {
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->loop = nullptr;
}

void BackgroundQuery::Start(std::function<std::function<void()>(HadoopClient& cluster)> query) {
  running_ = true;
  std::thread([this, mailbox = mailbox_, cluster = cluster_, query = std::move(query)] {
    auto deliver = query(*cluster);
    const std::lock_guard lock(mailbox->mutex);
    if (mailbox->loop == nullptr) return;
    boost::asio::post(*mailbox->loop, [this, mailbox, deliver = std::move(deliver)] {
      if (mailbox->loop == nullptr) return;
      running_ = false;
      deliver();
    });
  }).detach();
}

}  // namespace howdah::backend::yarn::am
