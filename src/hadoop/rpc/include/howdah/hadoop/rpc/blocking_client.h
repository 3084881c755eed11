// A blocking client of one Hadoop service, for command lines and worker threads.
#pragma once

#include <google/protobuf/message_lite.h>

#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::rpc {

// Not thread-safe. Connects at the first call. Reconnects without an error if the server has closed an idle connection.
class BlockingClient {
 public:
  explicit BlockingClient(ClientOptions options);
  ~BlockingClient();
  BlockingClient(BlockingClient&&) noexcept;
  BlockingClient& operator=(BlockingClient&&) noexcept;

  // Returns the response's bytes. Errors:
  // - kFailed: the server's exception, with its class in Error::remote_class and the first lines of its message.
  // - kUnavailable: no server was reachable within the limits. The message lists every server with its failure.
  // - kTimeout: no answer within the limit.
  Result<std::string> CallBytes(std::string_view method, std::string_view request, Repeat repeat = Repeat::kSafe);

  template <typename Response>
  Result<Response> Call(std::string_view method, const google::protobuf::MessageLite& request,
                        Repeat repeat = Repeat::kSafe) {
    HOWDAH_TRY(auto bytes, CallBytes(method, request.SerializeAsString(), repeat));
    Response response;
    if (!response.ParsePartialFromString(bytes)) return Failed(Unreadable(method));
    return response;
  }

  // The local IP address of the last connection: the address at which the server sees this machine. Empty before the
  // first connection.
  std::string local_ip() const;
  // The principal of the server and the protection of messages on the last connection, as in "rm/node7, privacy"; with
  // a token only the protection. Empty before the first connection, and if the server requires no authentication.
  std::string security() const;

 private:
  std::string Unreadable(std::string_view method) const;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::rpc
