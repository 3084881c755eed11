// An asynchronous client of one Hadoop service, for event loops.
#pragma once

#include <google/protobuf/message_lite.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::rpc {

// Use only on the loop's thread. (Host names are resolved on another thread.) Several calls may be outstanding.
class AsioClient {
 public:
  using Done = std::function<void(Result<std::string> response)>;

  AsioClient(boost::asio::io_context& loop, ClientOptions options);
  // Drops outstanding calls: their Done is not called.
  ~AsioClient();
  AsioClient(const AsioClient&) = delete;
  AsioClient& operator=(const AsioClient&) = delete;

  // Starts a call. Errors are those of BlockingClient::CallBytes. Done is called later, never from within CallBytes,
  // and may destroy the client.
  void CallBytes(std::string_view method, std::string request, Repeat repeat, Done done);

  template <typename Response>
  void Call(std::string_view method, const google::protobuf::MessageLite& request, Repeat repeat,
            std::function<void(Result<Response>)> done) {
    CallBytes(method, request.SerializeAsString(), repeat,
              [name = std::string(method), done = std::move(done)](Result<std::string> bytes) {
                if (!bytes) return done(bytes.error());
                Response response;
                if (!response.ParsePartialFromString(*bytes))
                  return done(Failed("the answer to " + name + " is unreadable"));
                done(std::move(response));
              });
  }

  // Uses this (renewed) token for new connections. With `reconnect`, also closes the present connection as soon as it
  // has no outstanding call.
  void SetToken(Token token, bool reconnect);

  // The local IP address of the last connection: the address at which the server sees this machine. Empty before the
  // first connection.
  std::string local_ip() const;
  // The principal of the server and the protection of messages on the last connection, as in "rm/node7, privacy"; with
  // a token only the protection. Empty before the first connection, and if the server requires no authentication.
  std::string security() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::rpc
