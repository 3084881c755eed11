#include "own_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "howdah/process/fd.h"

namespace howdah::executor {
namespace {

constexpr uint16_t kAnyPort = 9;  // a datagram socket is only told whom it would send to

// The kernel chooses route and source address when a datagram socket is connected.
template <typename Address>
Result<std::string> SourceOf(int family, const Address& to, const std::string& doing) {
  const process::Fd socket(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return process::SystemError(doing);
  Address own{};
  socklen_t size = sizeof own;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return process::SystemError(doing);
  }
  const void* number = nullptr;
  if constexpr (std::is_same_v<Address, sockaddr_in>) {
    number = &own.sin_addr;
  } else {
    number = &own.sin6_addr;
  }
  char text[INET6_ADDRSTRLEN];
  if (::inet_ntop(family, number, text, sizeof text) == nullptr) return process::SystemError(doing);
  return std::string(text);
}

}  // namespace

Result<std::string> OwnAddressTowards(const std::string& peer) {
  const std::string doing = "finding the address of this machine towards the application master at " + peer;
  std::string host = peer.substr(0, peer.rfind(':'));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  sockaddr_in four{};
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(kAnyPort);
    return SourceOf(AF_INET, four, doing);
  }
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(kAnyPort);
    return SourceOf(AF_INET6, six, doing);
  }
  return Failed(doing + ": it is not an IP address and a port");
}

}  // namespace howdah::executor
