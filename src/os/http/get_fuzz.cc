// Fuzzed input: the answers of an HTTP server.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "howdah/os/files/fd.h"
#include "howdah/os/http/get.h"

namespace howdah::os::http {
namespace {

// Listens on a port of the loopback address.
struct Listener {
  files::Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string url;
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd.get(), generic, size) != 0 || ::listen(fd.get(), 1) != 0) __builtin_trap();
    ::getsockname(fd.get(), generic, &size);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/x";
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Listener listener;
  std::thread server([&] {
    const files::Fd client(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char request[4096];
    static_cast<void>(::recv(client.get(), request, sizeof request, 0));
    static_cast<void>(::send(client.get(), data, size, MSG_NOSIGNAL));
  });
  GetLimits limits;
  limits.body_bytes = 4096;
  size_t received = 0;
  static_cast<void>(Get(listener.url, limits, [&](std::string_view bytes) {
    received += bytes.size();
    return true;
  }));
  server.join();
  if (received > 4096) __builtin_trap();
  return 0;
}

}  // namespace howdah::os::http
