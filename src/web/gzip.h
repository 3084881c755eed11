// Compression of whole bodies in the format gzip (RFC 1952). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah::web {

std::string Gzip(std::string_view bytes);

// Returns nullopt if the bytes are not a complete gzip file, or it inflates to more than `limit` bytes.
std::optional<std::string> Gunzip(std::string_view bytes, size_t limit);

}  // namespace howdah::web
