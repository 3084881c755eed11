#include "own_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

#include "howdah/os/files/fd.h"

namespace howdah::executor {
namespace {

constexpr uint16_t kAnyPort = 9;  // the port is arbitrary, because no packet is sent

// Connects a datagram socket: the kernel then chooses the route and the source address, without sending a packet.
template <typename Address>
Result<std::string> SourceOf(int family, const Address& to, const std::string& doing) {
  const os::files::Fd socket(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return os::files::SystemError(doing);
  Address own{};
  socklen_t size = sizeof own;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return os::files::SystemError(doing);
  }
  const void* number = nullptr;
  if constexpr (std::is_same_v<Address, sockaddr_in>) {
    number = &own.sin_addr;
  } else {
    number = &own.sin6_addr;
  }
  char text[INET6_ADDRSTRLEN];
  if (::inet_ntop(family, number, text, sizeof text) == nullptr) return os::files::SystemError(doing);
  return std::string(text);
}

// Returns the bytes of an address in network order; empty if the address is of another family.
std::string BytesOf(const sockaddr* address, int family) {
  if (address == nullptr || address->sa_family != family) return "";
  if (family == AF_INET) {
    const auto& number = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }
  const auto& number = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

bool SameNetwork(const std::string& a, const std::string& b, const std::string& mask) {
  if (a.size() != b.size() || a.size() != mask.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (((a[i] ^ b[i]) & mask[i]) != 0) return false;
  }
  return true;
}

}  // namespace

std::string InterfaceOf(const std::string& address) {
  char number[sizeof(in6_addr)];
  const int family = address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (::inet_pton(family, address.c_str(), number) != 1) return "";
  const std::string wanted(number, family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  std::string of_network;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const std::string own = BytesOf(entry->ifa_addr, family);
    if (own.empty()) continue;
    if (own == wanted) return entry->ifa_name;
    if (of_network.empty() && SameNetwork(own, wanted, BytesOf(entry->ifa_netmask, family)))
      of_network = entry->ifa_name;
  }
  return of_network;
}

Result<std::string> OwnAddressTowards(const std::string& peer) {
  const std::string doing = "finding the local address for the application master at " + peer;
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
  return Failed(doing + ": it must be an IP address and a port");
}

}  // namespace howdah::executor
