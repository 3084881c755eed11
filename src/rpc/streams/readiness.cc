#include "readiness.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

namespace howdah::rpc::streams {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

Readiness::Readiness(boost::asio::io_context& loop, int fd, Of of)
    : loop_(loop), fd_(fd), of_(of), watched_(loop), pause_(loop) {
  const int set = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = of == Of::kReading ? EPOLLIN : EPOLLOUT;
  if (set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0) {
    watched_.assign(set);
  } else if (set >= 0) {
    close(set);
  }
}

void Readiness::Wait(std::function<void()> ready) {
  if (cancelled_) return;
  if (!watched_.is_open()) return Poll(std::move(ready));
  watched_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [ready = std::move(ready)](const boost::system::error_code& error) {
                        if (!error) ready();
                      });
}

void Readiness::Poll(std::function<void()> ready) {
  pollfd asked{fd_, static_cast<short>(of_ == Of::kReading ? POLLIN : POLLOUT), 0};
  if (::poll(&asked, 1, 0) != 0) return boost::asio::post(loop_, std::move(ready));
  pause_.expires_after(kPause);
  pause_.async_wait([this, ready = std::move(ready)](const boost::system::error_code& error) {
    if (!error) Wait(ready);
  });
}

void Readiness::Cancel() {
  cancelled_ = true;
  pause_.cancel();
  boost::system::error_code ignored;
  watched_.close(ignored);
}

}  // namespace howdah::rpc::streams
