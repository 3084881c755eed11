// Feeds the input to the handshake of a connection to a DataNode, as its answers, and parses it as a block's token.
#include <cstddef>
#include <cstdint>
#include <string>

#include "transfer.h"
#include "transfer_handshake.h"

namespace howdah::hadoop::hdfs {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  ::hadoop::common::TokenProto token;
  token.set_identifier(std::string(left));
  TransferHandshake handshake(LoginWithToken(token, "BP-1", {}), "cnonce");
  for (;;) {
    const auto extent = DelimitedExtent(left);
    if (!extent.ok() || !*extent || left.size() < (*extent)->begin + (*extent)->size) return 0;
    TransferHandshake::Message message;
    if (!ParseMessage(left.substr((*extent)->begin, (*extent)->size), message)) return 0;
    left.remove_prefix((*extent)->begin + (*extent)->size);
    const auto next = handshake.Receive(message);
    if (!next.ok()) return 0;
    if (!*next) break;
  }
  std::string plain;
  if (const auto codec = handshake.TakeCodec()) static_cast<void>(codec->Decode(left, plain));
  return 0;
}

}  // namespace howdah::hadoop::hdfs
