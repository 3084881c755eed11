#include "howdah/base/host_port.h"

#include "howdah/base/number.h"

namespace howdah {

std::string HostPort::Text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<HostPort> ParseHostPort(std::string_view text) {
  const auto invalid = [&] {
    return Error{ErrorCode::kUsage,
                 "'" + std::string(text) + "' is not an address; write host:port, as in rm1.example.com:8032"};
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return invalid();
  HostPort parsed{std::string(text.substr(0, colon)), 0};
  if (parsed.host.front() == '[' && parsed.host.back() == ']') parsed.host = parsed.host.substr(1, colon - 2);
  if (parsed.host.find_first_of("[]") != std::string::npos) return invalid();
  const auto port = ParseNumber<uint16_t>(text.substr(colon + 1));
  if (!port || parsed.host.empty()) return invalid();
  parsed.port = *port;
  return parsed;
}

}  // namespace howdah
