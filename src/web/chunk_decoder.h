// The body of a request with "Transfer-Encoding: chunked" (RFC 9112, section 7.1). Pure; the bytes come from an
// untrusted client.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace howdah::web {

// Strict: each line ends with CRLF. Extensions of chunks are ignored, and trailers are dropped.
class ChunkDecoder {
 public:
  // body_limit: of the decoded body. line_limit: of the header of one chunk, and of all trailers together.
  ChunkDecoder(size_t body_limit, size_t line_limit) : body_limit_(body_limit), line_limit_(line_limit) {}

  enum class State { kMore, kWhole, kMalformed, kBodyTooLong };
  // Consumes bytes from the front of `input`, and appends the decoded ones to `body`. Bytes after the end stay.
  State Feed(std::string& input, std::string& body);

 private:
  enum class Part { kSize, kData, kDataEnd, kTrailer };
  // Decodes one part of `rest` and removes it. Returns kWhole also if the next part can be decoded; see part_ and
  // done_.
  State Step(std::string_view& rest, std::string& body);
  State TakeSize(std::string_view line, size_t body_size);

  const size_t body_limit_, line_limit_;
  Part part_ = Part::kSize;
  size_t left_ = 0;           // bytes of the chunk's data
  size_t trailer_bytes_ = 0;  // of all trailers so far
  bool done_ = false;
};

}  // namespace howdah::web
