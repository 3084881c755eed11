#include "key_store.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>

#include <memory>

namespace howdah::hadoop::web {
namespace {

constexpr uint64_t kJks = 0xFEEDFEED, kJceks = 0xCECECECE;
constexpr uint64_t kPrivateKey = 1, kTrusted = 2;
constexpr size_t kDigestSize = 20;  // SHA-1

// Reads big-endian numbers and blocks with their length in front. After truncated input all results are empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  uint64_t Number(size_t size) {
    uint64_t number = 0;
    for (const char c : Take(size)) number = number << 8 | static_cast<unsigned char>(c);
    return number;
  }
  // `size` is the size of the length.
  std::string_view Block(size_t size) { return Take(Number(size)); }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view Take(uint64_t size) {
    if (size > left_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view left_;
  bool failed_ = false;
};

// SHA-1 of the password in UTF-16, a constant, and the store without its digest.
std::string DigestOf(std::string_view store, const std::string& password) {
  std::string text;
  for (const char c : password) text.append({'\0', c});
  text.append("Mighty Aphrodite").append(store);
  std::string digest(kDigestSize, '\0');
  size_t size = digest.size();
  if (EVP_Q_digest(nullptr, "SHA1", nullptr, text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()),
                   &size) != 1) {
    return {};
  }
  return digest;
}

// One certificate: its type if the version is 2, its length, and DER.
std::string_view CertificateOf(Reader& reader, uint64_t version) {
  if (version == 2) reader.Block(2);
  return reader.Block(4);
}

Result<std::vector<std::string>> AuthoritiesInJks(std::string_view store, const std::optional<std::string>& password) {
  if (store.size() < kDigestSize) return Failed("the JKS store is truncated");
  const std::string_view digest = store.substr(store.size() - kDigestSize);
  store.remove_suffix(kDigestSize);
  Reader reader(store);
  reader.Number(4);
  const uint64_t version = reader.Number(4), count = reader.Number(4);
  if (version != 1 && version != 2) return Failed("the JKS store has the unknown version " + std::to_string(version));
  std::vector<std::string> certificates;
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const uint64_t tag = reader.Number(4);
    reader.Block(2);   // alias
    reader.Number(8);  // date
    if (tag == kTrusted) {
      certificates.emplace_back(CertificateOf(reader, version));
    } else if (tag == kPrivateKey) {
      reader.Block(4);
      const uint64_t chain = reader.Number(4);
      for (uint64_t link = 0; link < chain && !reader.failed(); ++link) {
        const std::string_view certificate = CertificateOf(reader, version);
        if (link == 0) certificates.emplace_back(certificate);
      }
    } else {
      return Failed("the JKS store has an entry of an unknown kind");
    }
  }
  if (reader.failed() || !reader.at_end()) return Failed("the JKS store is damaged");
  if (password && DigestOf(store, *password) != digest) {
    return Failed("the JKS store is damaged, or its password is not the one in ssl.client.truststore.password");
  }
  return certificates;
}

std::string DerOf(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  std::string der(reinterpret_cast<const char*>(bytes), size > 0 ? static_cast<size_t>(size) : 0);
  OPENSSL_free(bytes);
  return der;
}

struct FreeAll {
  void operator()(PKCS12* store) const { PKCS12_free(store); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(STACK_OF(X509) * certificates) const { sk_X509_pop_free(certificates, X509_free); }
};

Result<std::vector<std::string>> AuthoritiesInPkcs12(std::string_view bytes, const std::string& password) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::unique_ptr<PKCS12, FreeAll> store(d2i_PKCS12(nullptr, &at, static_cast<long>(bytes.size())));
  ERR_clear_error();
  if (!store) return Failed("it is neither a JKS nor a PKCS#12 store");
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  const bool parsed = PKCS12_parse(store.get(), password.c_str(), &key, &own, &others) == 1;
  const std::unique_ptr<EVP_PKEY, FreeAll> free_key(key);
  const std::unique_ptr<X509, FreeAll> free_own(own);
  const std::unique_ptr<STACK_OF(X509), FreeAll> free_others(others);
  const bool unsupported = ERR_GET_REASON(ERR_peek_error()) == ERR_R_UNSUPPORTED;
  ERR_clear_error();
  if (!parsed && unsupported) {
    return Failed(
        "the PKCS#12 store uses a cipher that OpenSSL 3 has given up (RC2); write the certificates to a PEM file "
        "with keytool -list -rfc, and set HOWDAH_CA to it");
  }
  if (!parsed) {
    return Failed("the PKCS#12 store is damaged, or its password is not the one in ssl.client.truststore.password");
  }
  std::vector<std::string> certificates;
  if (own != nullptr) certificates.push_back(DerOf(own));
  for (int i = 0; i < sk_X509_num(others); ++i) certificates.push_back(DerOf(sk_X509_value(others, i)));
  return certificates;
}

}  // namespace

Result<std::vector<std::string>> AuthoritiesIn(std::string_view store, const std::optional<std::string>& password) {
  const uint64_t magic = Reader(store).Number(4);
  if (magic == kJks) return AuthoritiesInJks(store, password);
  if (magic == kJceks) return Failed("the store has the format JCEKS; only JKS and PKCS#12 are supported");
  return AuthoritiesInPkcs12(store, password.value_or(""));
}

}  // namespace howdah::hadoop::web
