#include "base64.h"

#include <openssl/evp.h>

#include <algorithm>

#include "howdah/hadoop/sasl/digest.h"

namespace howdah::hadoop::kms {

std::string EncodeUrlBase64(std::string_view bytes) {
  std::string text = sasl::Base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string padded(text);
  while (padded.ends_with('=')) padded.pop_back();
  if (padded.find_first_of(" \t\r\n=") != std::string::npos || padded.size() % 4 == 1) return std::nullopt;
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  const size_t padding = (4 - padded.size() % 4) % 4;
  padded.append(padding, '=');
  std::string bytes(padded.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(padded.data()), static_cast<int>(padded.size()));
  if (size < 0 || static_cast<size_t>(size) < padding) return std::nullopt;
  bytes.resize(static_cast<size_t>(size) - padding);
  return bytes;
}

}  // namespace howdah::hadoop::kms
