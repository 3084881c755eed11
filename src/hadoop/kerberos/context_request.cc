#include "howdah/hadoop/kerberos/context_request.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <utility>

#include "howdah/os/net/resolve.h"

namespace howdah::hadoop::kerberos {
namespace {

constexpr Duration kNameLimit = std::chrono::seconds(5);

Result<principals::Principal> Checked(Login& login, const principals::ServicePolicy& policy, const Server& server,
                                      int cancel_fd) {
  HOWDAH_TRY(const std::string realm, login.RealmOf(server.advertised.host));
  const std::string at = server.where.Text() + " (" + server.address.ip() + ")";
  std::vector<std::string> hosts{server.where.host};
  auto principal = principals::ServicePrincipal(policy, server.advertised, hosts, at, realm);
  if (principal || policy.principal.find("/_HOST") == std::string::npos) return principal;
  auto name = os::net::NameOf(server.address, kNameLimit, cancel_fd);
  if (!name) return principal;
  if (name->ends_with('.')) name->pop_back();
  hosts.push_back(*std::move(name));
  return principals::ServicePrincipal(policy, server.advertised, hosts, at, realm);
}

Result<std::unique_ptr<SecurityContext>> Begin(Login& login, const principals::ServicePolicy& policy,
                                               const Server& server, int cancel_fd) {
  auto principal = Checked(login, policy, server, cancel_fd);
  if (!principal) {
    Error error = principal.error();
    if (error.code == ErrorCode::kFailed) error.code = ErrorCode::kUnavailable;
    return error;
  }
  return login.OpenContext(*principal, cancel_fd);
}

}  // namespace

class ContextRequest::Impl {
 public:
  Impl(std::shared_ptr<Login> login, principals::ServicePolicy policy, Server server)
      : done_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), cancel_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (done_ < 0 || cancel_ < 0) {
      result_ = Failed("getting a Kerberos ticket: out of file descriptors");
      return;
    }
    thread_ = std::thread([this, login = std::move(login), policy = std::move(policy), server = std::move(server)] {
      result_ = Begin(*login, policy, server, cancel_);
      eventfd_write(done_, 1);
    });
  }
  ~Impl() {
    if (thread_.joinable()) {
      eventfd_write(cancel_, 1);
      thread_.join();
    }
    for (const int fd : {done_, cancel_}) {
      if (fd >= 0) close(fd);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int fd() const { return thread_.joinable() ? done_ : -1; }

  Result<std::unique_ptr<SecurityContext>> Take() {
    if (thread_.joinable()) thread_.join();
    return *std::exchange(result_, Failed("the result of the request was taken before"));
  }

 private:
  const int done_, cancel_;
  std::optional<Result<std::unique_ptr<SecurityContext>>>
      result_;  // used only by the thread until the thread has ended
  std::thread thread_;
};

ContextRequest::ContextRequest(std::shared_ptr<Login> login, principals::ServicePolicy policy, Server server)
    : impl_(std::make_unique<Impl>(std::move(login), std::move(policy), std::move(server))) {}
ContextRequest::~ContextRequest() = default;
int ContextRequest::fd() const { return impl_->fd(); }
Result<std::unique_ptr<SecurityContext>> ContextRequest::Take() { return impl_->Take(); }

}  // namespace howdah::hadoop::kerberos
