// Fuzzed input: requests to an HTTP server.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/os/http/server.h"

namespace howdah::os::http {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static boost::asio::io_context loop;
  static const auto server = Server::Start(loop, "127.0.0.1",
                                           [](const Request& request, const auto& respond) {
                                             respond({200, "", request.path, ""});
                                           },
                                           {.body_bytes = 1000});
  boost::asio::ip::tcp::socket client(loop);
  boost::system::error_code failed;
  client.connect({boost::asio::ip::make_address("127.0.0.1"), (*server)->port()}, failed);
  if (failed) return 0;
  boost::asio::write(client, boost::asio::buffer(text), failed);
  client.shutdown(boost::asio::socket_base::shutdown_send, failed);
  bool over = false;
  char answer[4096];
  std::function<void()> read = [&] {
    client.async_read_some(boost::asio::buffer(answer),
                           [&](const auto& error, size_t) { error ? void(over = true) : read(); });
  };
  read();
  while (!over) loop.run_one();
  loop.restart();
  return 0;
}

}  // namespace howdah::os::http
