// Feeds the input to a connection as the answers of a Hadoop server.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "connection.h"

namespace howdah::hadoop::rpc {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The first byte determines the login and the size of the segments.
  if (text.empty()) return 0;
  const auto choice = static_cast<unsigned char>(text[0]);
  ConnectionOptions options{"protocol", "ann", "", std::string(16, 'c'), {}};
  if ((choice & 1) != 0) options.mechanisms = {TokenMechanism({"id", "pw", "", ""}, "cnonce")};
  Connection connection(options);
  connection.Call(0, 0, "method", "request");
  connection.TakeOutput();
  for (std::string_view left = std::string_view(text).substr(1); !left.empty();) {
    const std::string_view segment = left.substr(0, (choice >> 1) + 1U);
    left.remove_prefix(segment.size());
    connection.Receive(segment);
    connection.TakeOutput();
    connection.TakeAnswers();
  }
  connection.ReceiveEnd();
  return 0;
}

}  // namespace howdah::hadoop::rpc
