#include "aes_ctr.h"

#include <openssl/evp.h>

#include <algorithm>
#include <string>

namespace howdah::hadoop::hdfs {
namespace {

const EVP_CIPHER* CipherOf(size_t key_size) {
  switch (key_size) {
    case 16:
      return EVP_aes_128_ctr();
    case 24:
      return EVP_aes_192_ctr();
    case 32:
      return EVP_aes_256_ctr();
    default:
      return nullptr;
  }
}

// Adds to a big-endian number of 16 bytes, modulo 2^128.
void AddBlocks(std::string& counter, uint64_t blocks) {
  unsigned carry = 0;
  for (size_t i = counter.size(); i-- > 0; blocks >>= 8) {
    const unsigned sum = static_cast<unsigned char>(counter[i]) + static_cast<unsigned>(blocks & 0xff) + carry;
    counter[i] = static_cast<char>(sum);
    carry = sum >> 8;
  }
}

}  // namespace

void AesCtr::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }
AesCtr::AesCtr(AesCtr&&) noexcept = default;
AesCtr& AesCtr::operator=(AesCtr&&) noexcept = default;
AesCtr::~AesCtr() = default;

Result<AesCtr> AesCtr::Make(std::string_view key, std::string_view iv, uint64_t offset) {
  const EVP_CIPHER* cipher = CipherOf(key.size());
  if (cipher == nullptr || iv.size() != kBlock) {
    return Failed("a key of AES/CTR has " + std::to_string(key.size()) + " bytes and its counter " +
                  std::to_string(iv.size()) + "; allowed are 16, 24 or 32 and 16");
  }
  std::string counter(iv);
  AddBlocks(counter, offset / kBlock);
  AesCtr stream(EVP_CIPHER_CTX_new());
  if (!stream.context_ ||
      EVP_EncryptInit_ex(stream.context_.get(), cipher, nullptr, reinterpret_cast<const unsigned char*>(key.data()),
                         reinterpret_cast<const unsigned char*>(counter.data())) != 1) {
    return Failed("AES/CTR is not available in libcrypto");
  }
  char skipped[kBlock] = {};
  HOWDAH_TRY_STATUS(stream.Run(skipped, offset % kBlock, skipped));
  return stream;
}

Status AesCtr::Run(const char* in, size_t size, char* out) {
  constexpr size_t kMost = size_t{1} << 30;  // libcrypto takes sizes as int
  while (size > 0) {
    const size_t count = std::min(size, kMost);
    int done = 0;
    if (EVP_EncryptUpdate(context_.get(), reinterpret_cast<unsigned char*>(out), &done,
                          reinterpret_cast<const unsigned char*>(in), static_cast<int>(count)) != 1) {
      return Failed("AES/CTR failed in libcrypto");
    }
    in += count;
    out += count;
    size -= count;
  }
  return {};
}

}  // namespace howdah::hadoop::hdfs
