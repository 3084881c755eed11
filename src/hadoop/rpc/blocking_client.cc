#include "howdah/hadoop/rpc/blocking_client.h"

#include <boost/asio/io_context.hpp>
#include <cassert>
#include <optional>

#include "howdah/hadoop/rpc/asio_client.h"

namespace howdah::hadoop::rpc {

// Uses AsioClient on a loop that runs only during a call.
class BlockingClient::Impl {
 public:
  explicit Impl(ClientOptions options) : service_(options.service_name), client_(loop_, std::move(options)) {}

  Result<std::string> Call(std::string_view method, std::string_view request, Repeat repeat) {
    std::optional<Result<std::string>> result;
    client_.CallBytes(method, std::string(request), repeat, [&](Result<std::string> r) { result = std::move(r); });
    loop_.restart();
    while (!result && loop_.run_one() > 0) {
    }
    assert(result);  // every call ends, because a timer limits it
    return *std::move(result);
  }

  std::string local_ip() const { return client_.local_ip(); }
  std::string security() const { return client_.security(); }
  const std::string& service() const { return service_; }

 private:
  std::string service_;
  boost::asio::io_context loop_{1};
  AsioClient client_;
};

BlockingClient::BlockingClient(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
BlockingClient::~BlockingClient() = default;
BlockingClient::BlockingClient(BlockingClient&&) noexcept = default;
BlockingClient& BlockingClient::operator=(BlockingClient&&) noexcept = default;

Result<std::string> BlockingClient::CallBytes(std::string_view method, std::string_view request, Repeat repeat) {
  return impl_->Call(method, request, repeat);
}

std::string BlockingClient::local_ip() const { return impl_->local_ip(); }
std::string BlockingClient::security() const { return impl_->security(); }

std::string BlockingClient::Unreadable(std::string_view method) const {
  return "the answer of " + (impl_->service().empty() ? "the server" : impl_->service()) + " to " +
         std::string(method) + " is unreadable";
}

}  // namespace howdah::hadoop::rpc
