// AES in counter mode (NIST SP 800-38A), by libcrypto. Encryption and decryption are the same operation.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "howdah/base/result.h"

struct evp_cipher_ctx_st;

namespace howdah::hadoop::hdfs {

class AesCtr {
 public:
  static constexpr size_t kBlock = 16;

  // key: 16, 24 or 32 bytes. iv: the counter of byte 0, 16 bytes. Begins with the byte at `offset`: its counter is
  // iv + offset / 16 (org.apache.hadoop.crypto.CryptoStreamUtils). Returns an error for other sizes.
  static Result<AesCtr> Make(std::string_view key, std::string_view iv, uint64_t offset = 0);
  AesCtr(AesCtr&&) noexcept;
  AesCtr& operator=(AesCtr&&) noexcept;
  ~AesCtr();

  // Processes the next `size` bytes. `in` and `out` may be the same.
  Status Run(const char* in, size_t size, char* out);

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  explicit AesCtr(evp_cipher_ctx_st* context) : context_(context) {}

  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
};

}  // namespace howdah::hadoop::hdfs
