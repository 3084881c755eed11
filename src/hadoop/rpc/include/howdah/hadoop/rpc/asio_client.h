// Calls to one Hadoop service from an event loop. For the application master.
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

// All on the loop's thread (names are resolved on another). Many calls may be outstanding.
class AsioClient {
 public:
  using Done = std::function<void(Result<std::string> response)>;

  AsioClient(boost::asio::io_context& loop, ClientOptions options);
  // Outstanding calls are forgotten: their Done is not called.
  ~AsioClient();
  AsioClient(const AsioClient&) = delete;
  AsioClient& operator=(const AsioClient&) = delete;

  // Errors as BlockingClient::CallBytes. Done is called later, never from within this call; it may destroy the client.
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

  // From now on connections are made with this token (a token that rolled over). reconnect: the present one is given up
  // once no call is outstanding on it.
  void SetToken(Token token, bool reconnect);

  // The local IP address of the last connection: where the server sees this machine. Empty: never connected.
  std::string local_ip() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::rpc
