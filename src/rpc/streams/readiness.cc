#include "readiness.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

namespace howdah::rpc::streams {

Readiness::Readiness(boost::asio::io_context& loop, int fd, Of of) : loop_(loop), watched_(loop) {
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
  if (!watched_.is_open()) return boost::asio::post(loop_, std::move(ready));
  watched_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [ready = std::move(ready)](const boost::system::error_code& error) {
                        if (!error) ready();
                      });
}

void Readiness::Cancel() {
  boost::system::error_code ignored;
  watched_.close(ignored);
}

}  // namespace howdah::rpc::streams
