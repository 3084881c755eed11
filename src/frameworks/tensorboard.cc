#include "howdah/frameworks/tensorboard.h"

#include <charconv>

namespace howdah::frameworks {

std::string TensorBoardAddress(const std::string& output) {
  const size_t name = output.find("TensorBoard ");
  if (name == std::string::npos) return "";
  const size_t start = output.find("http://", name);
  if (start == std::string::npos) return "";
  const size_t end = output.find_first_of(" \r\n", start);
  return end == std::string::npos ? "" : output.substr(start, end - start);
}

uint16_t PortOf(const std::string& address) {
  const size_t host = address.find("://");
  const size_t colon = host == std::string::npos ? host : address.rfind(':', address.find('/', host + 3));
  if (colon == std::string::npos || colon <= host) return 0;
  uint16_t port = 0;
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return port;
}

}  // namespace howdah::frameworks
