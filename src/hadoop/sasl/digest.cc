#include "howdah/hadoop/sasl/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace howdah::hadoop::sasl {
namespace {

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// Expands a key of seven bytes to the eight bytes of a DES key, with odd parity in the lowest bits.
std::string ExpandKey(std::string_view seven) {
  uint64_t bits = 0;
  for (const char byte : seven) bits = bits << 8 | static_cast<unsigned char>(byte);
  std::string eight;
  for (int i = 7; i >= 0; --i) {
    const auto value = static_cast<unsigned>(bits >> (7 * i) & 0x7f) << 1;
    eight += static_cast<char>(value | (__builtin_parity(value) == 0 ? 1U : 0U));
  }
  return eight;
}

}  // namespace

std::string Md5(std::string_view bytes) {
  std::string sum(16, '\0');
  size_t size = sum.size();
  if (EVP_Q_digest(nullptr, "MD5", nullptr, bytes.data(), bytes.size(), Bytes(sum), &size) != 1) return {};
  return sum;
}

std::string HmacMd5(std::string_view key, std::string_view bytes) {
  std::string mac(16, '\0');
  unsigned size = 0;
  if (!HMAC(EVP_md5(), key.data(), static_cast<int>(key.size()), Bytes(bytes), bytes.size(), Bytes(mac), &size)) {
    return {};
  }
  return mac;
}

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(Bytes(text), Bytes(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

void TripleDes::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }

TripleDes::TripleDes(Direction direction, std::string_view key) : context_(EVP_CIPHER_CTX_new()) {
  const std::string keys = ExpandKey(key.substr(0, 7)) + ExpandKey(key.substr(7, 7));
  const bool encrypt = direction == Direction::kEncrypt;
  if (!context_ || EVP_CipherInit_ex(context_.get(), EVP_des_ede_cbc(), nullptr, Bytes(keys), Bytes(key.substr(8)),
                                     encrypt ? 1 : 0) != 1) {
    context_.reset();
    return;
  }
  EVP_CIPHER_CTX_set_padding(context_.get(), 0);
}

TripleDes::~TripleDes() = default;

Result<std::string> TripleDes::Run(std::string_view blocks) {
  std::string out(blocks.size(), '\0');
  int size = 0;
  if (!context_ || blocks.size() % 8 != 0 ||
      EVP_CipherUpdate(context_.get(), Bytes(out), &size, Bytes(blocks), static_cast<int>(blocks.size())) != 1) {
    return Failed("triple DES is not available on this machine (OpenSSL in FIPS mode?)");
  }
  out.resize(static_cast<size_t>(size));
  return out;
}

}  // namespace howdah::hadoop::sasl
