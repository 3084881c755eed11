#include "answer_reports.h"

#include <utility>

namespace howdah::feed::server {

AnswerReports::AnswerReports(boost::asio::io_context& loop, const std::string& feed,
                             std::function<void(const wire::FromExecutor&)> send)
    : send_(std::move(send)), pause_(loop) {
  report_.mutable_feed_answers()->set_feed(feed);
}

void AnswerReports::Received(int64_t bytes) {
  wire::FeedAnswers& report = *report_.mutable_feed_answers();
  report.set_bytes(report.bytes() + bytes);
  Change();
}

void AnswerReports::Answered(int64_t rows) {
  wire::FeedAnswers& report = *report_.mutable_feed_answers();
  report.set_rows(report.rows() + rows);
  Change();
}

void AnswerReports::Set(int clients, int idle, bool clients_wait) {
  wire::FeedAnswers& report = *report_.mutable_feed_answers();
  if (report.clients() == clients && report.idle() == idle && report.clients_wait() == clients_wait) return;
  report.set_clients(clients);
  report.set_idle(idle);
  report.set_clients_wait(clients_wait);
  Change();
}

void AnswerReports::Repeat() { send_(report_); }

void AnswerReports::Change() {
  changed_ = true;
  if (!paused_) Send();
}

void AnswerReports::Send() {
  changed_ = false;
  paused_ = true;
  send_(report_);
  pause_.expires_after(kPause);
  pause_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    paused_ = false;
    if (changed_) Send();
  });
}

}  // namespace howdah::feed::server
