#include "howdah/os/net/lookup.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <utility>

#include "dns.h"
#include "owned_fd.h"

namespace howdah::os::net {

class Lookup::Impl {
 public:
  Impl(const HostPort& where, Duration limit) : answer_(KnownAddresses(where)) {
    if (answer_) return;
    done_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    cancel_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (done_.get() < 0 || cancel_.get() < 0) {
      done_ = OwnedFd();
      answer_ = Failed("looking up the host " + where.host + ": out of file descriptors");
      return;
    }
    thread_ = std::thread([this, where, limit] {
      answer_ = AskDns(where, limit, {.cancel_fd = cancel_.get()});
      eventfd_write(done_.get(), 1);
    });
  }

  ~Impl() {
    if (!thread_.joinable()) return;
    eventfd_write(cancel_.get(), 1);
    thread_.join();
  }

  int fd() const { return done_.get(); }

  Result<std::vector<SocketAddress>> Take() {
    if (thread_.joinable()) thread_.join();
    return *std::exchange(answer_, Failed("the result of the lookup was taken before"));
  }

 private:
  OwnedFd done_, cancel_;
  std::optional<Result<std::vector<SocketAddress>>> answer_;  // used only by the thread until the thread has ended
  std::thread thread_;
};

Lookup::Lookup(const HostPort& where, Duration limit) : impl_(std::make_unique<Impl>(where, limit)) {}
Lookup::~Lookup() = default;
int Lookup::fd() const { return impl_->fd(); }
Result<std::vector<SocketAddress>> Lookup::Take() { return impl_->Take(); }

}  // namespace howdah::os::net
