// The body of a message as it arrives, without its framing. Pure; the bytes come from an untrusted peer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chunk_decoder.h"

namespace howdah::web {

// How the end of a body is found (RFC 9112, section 6.3).
struct BodyFraming {
  enum class Kind { kNone, kSized, kChunked, kUntilEnd } kind = Kind::kNone;
  uint64_t size = 0;  // of kSized
  friend bool operator==(const BodyFraming&, const BodyFraming&) = default;
};

class BodyReader {
 public:
  // line_limit: of the header of one chunk, and of all trailers together.
  BodyReader(const BodyFraming& framing, size_t line_limit);

  enum class State { kMore, kWhole, kMalformed };
  // Consumes bytes from the front of `input`, and appends those of the body to `body`. Bytes after the end stay.
  State Feed(std::string& input, std::string& body);
  // The peer has ended the connection. kMalformed if the body is not complete.
  State End();
  State state() const { return state_; }

 private:
  const BodyFraming framing_;
  uint64_t left_ = 0;
  std::optional<ChunkDecoder> chunks_;
  State state_ = State::kMore;
};

// A chunk with these bytes, which must not be empty.
std::string ChunkOf(const std::string& bytes);
inline constexpr char kLastChunk[] = "0\r\n\r\n";

}  // namespace howdah::web
