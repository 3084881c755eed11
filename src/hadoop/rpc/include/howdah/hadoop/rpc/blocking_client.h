// Calls to one Hadoop service, each blocking its caller until the answer. For command lines and worker threads.
#pragma once

#include <google/protobuf/message_lite.h>

#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::rpc {

// One thread at a time. Connects at the first call; a connection that the server closed while idle is made again
// unnoticed.
class BlockingClient {
 public:
  explicit BlockingClient(ClientOptions options);
  ~BlockingClient();
  BlockingClient(BlockingClient&&) noexcept;
  BlockingClient& operator=(BlockingClient&&) noexcept;

  // The response's bytes. An exception of the server: kFailed with its class in Error::remote_class and its message's
  // first lines; nobody reachable within the limits: kUnavailable, naming every server tried and how it failed; no
  // answer in time: kTimeout.
  Result<std::string> CallBytes(std::string_view method, std::string_view request, Repeat repeat = Repeat::kSafe);

  template <typename Response>
  Result<Response> Call(std::string_view method, const google::protobuf::MessageLite& request,
                        Repeat repeat = Repeat::kSafe) {
    auto bytes = CallBytes(method, request.SerializeAsString(), repeat);
    if (!bytes) return bytes.error();
    Response response;
    if (!response.ParsePartialFromString(*bytes)) return Failed(Unreadable(method));
    return response;
  }

  // The local IP address of the last connection: where the server sees this machine. Empty: never connected.
  std::string local_ip() const;

 private:
  std::string Unreadable(std::string_view method) const;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::rpc
