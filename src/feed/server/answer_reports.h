// The reports about a feed with answers to the AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/wire/executor.pb.h"

namespace howdah::feed::server {

// Sends wire::FeedAnswers when it has changed, at most every kPause.
//
// Used on the owner's loop only.
class AnswerReports {
 public:
  static constexpr auto kPause = std::chrono::milliseconds(500);

  // send: as Hub::Handlers::send.
  AnswerReports(boost::asio::io_context& loop, const std::string& feed,
                std::function<void(const wire::FromExecutor&)> send);

  void Received(int64_t bytes);
  void Answered(int64_t rows);
  // clients: open calls. idle: processes that wait for a question. clients_wait: whether a client must wait before it
  // sends another question.
  void Set(int clients, int idle, bool clients_wait);
  // The AM may not have the newest report.
  void Repeat();

 private:
  void Change();
  void Send();

  const std::function<void(const wire::FromExecutor&)> send_;
  wire::FromExecutor report_;
  bool changed_ = false, paused_ = false;
  boost::asio::steady_timer pause_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server
