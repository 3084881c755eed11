#include "uri.h"

#include <algorithm>
#include <string_view>

#include "howdah/base/number.h"

namespace howdah::hadoop::conf {

Uri ParseUri(const std::string& text) {
  Uri uri;
  std::string_view rest = text;
  const size_t colon = rest.find(':');
  if (colon != std::string_view::npos && colon > 0 && rest.find('/') > colon) {
    uri.scheme = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  if (rest.starts_with("//") && !uri.scheme.empty()) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    uri.authority = rest.substr(0, slash);
    rest.remove_prefix(slash);
  }
  uri.path = rest;
  return uri;
}

std::optional<HostPort> ParseAddress(const std::string& text, uint16_t port) {
  HostPort address{"", port};
  std::string_view rest = text;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    address.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  } else {
    const size_t colon = std::min(rest.find(':'), rest.size());
    address.host = rest.substr(0, colon);
    rest.remove_prefix(colon);
  }
  if (address.host.empty() || address.host.find_first_of(" \t/@,$") != std::string::npos) return std::nullopt;
  if (rest.starts_with(':')) {
    address.port = ParseNumber<uint16_t>(rest.substr(1)).value_or(0);
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  if (address.port == 0) return std::nullopt;
  if (address.host == "0.0.0.0" || address.host == "::") address.host = "localhost";
  return address;
}

}  // namespace howdah::hadoop::conf
