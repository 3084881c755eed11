// The digests and ciphers of DIGEST-MD5 (RFC 2831), implemented by libcrypto.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

struct evp_cipher_ctx_st;

namespace howdah::hadoop::sasl {

// Returns 16 bytes. Returns none if libcrypto on this machine forbids MD5 (FIPS mode).
std::string Md5(std::string_view bytes);
std::string HmacMd5(std::string_view key, std::string_view bytes);
std::string Hex(std::string_view bytes);
std::string Base64(std::string_view bytes);

// Two-key triple DES in CBC mode, with the key derivation of RFC 2831. An object either encrypts or decrypts. The
// cipher state continues from record to record.
class TripleDes {
 public:
  enum class Direction { kEncrypt, kDecrypt };
  // `key` is a confidentiality key (16 bytes).
  TripleDes(Direction direction, std::string_view key);
  ~TripleDes();
  TripleDes(const TripleDes&) = delete;
  TripleDes& operator=(const TripleDes&) = delete;
  // The size of `blocks` must be a multiple of 8 bytes.
  Result<std::string> Run(std::string_view blocks);

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Free> context_;  // null if libcrypto lacks the cipher
};

}  // namespace howdah::hadoop::sasl
