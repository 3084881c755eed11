// Decisions about the form of a response: compression, ranges, and whether the client has it already. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "howdah/web/message.h"

namespace howdah::web {

// Whether Accept-Encoding lists gzip or "*" with a quality other than 0.
bool AcceptsGzip(const Request& request);

// Whether a body of this Content-Type becomes smaller by compression: text, JSON, JavaScript, XML, SVG.
bool IsCompressible(std::string_view content_type);

// Whether If-None-Match contains the ETag, or "*". Weak and strong tags are equal.
bool ClientHas(const Request& request, std::string_view etag);

struct Range {
  int64_t offset = 0, size = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

struct RangeChoice {
  enum class Kind { kWhole, kPart, kUnsatisfiable } kind = Kind::kWhole;
  Range part = {};  // of kPart; not empty
};

// Chooses the part of a body of `size` bytes to send for a header `Range`. A header that is malformed, asks for
// several ranges, or has another unit is ignored, as RFC 9110 recommends.
RangeChoice ChooseRange(std::string_view header, int64_t size);

}  // namespace howdah::web
