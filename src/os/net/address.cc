#include "howdah/os/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

namespace howdah::os::net {

std::string HostPort::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<HostPort> ParseHostPort(const std::string& text) {
  const Error wrong{ErrorCode::kUsage, "'" + text + "' is no address; write host:port, as in rm1.example.com:8032"};
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong;
  HostPort parsed{text.substr(0, colon), 0};
  if (parsed.host.front() == '[' && parsed.host.back() == ']') parsed.host = parsed.host.substr(1, colon - 2);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, parsed.port);
  if (error != std::errc() || stopped != end || parsed.host.empty()) return wrong;
  return parsed;
}

std::string SocketAddress::ip() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text, sizeof text);
  } else if (storage.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, text, sizeof text);
  }
  return text;
}

uint16_t SocketAddress::port() const {
  if (storage.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

}  // namespace howdah::os::net
