#include "howdah/os/http/trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <unistd.h>

namespace howdah::os::http {
namespace {

constexpr const char* kBundles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                    "/etc/ssl/ca-bundle.pem"};

Error Unusable(const std::string& source, const std::string& why) {
  ERR_clear_error();
  return {ErrorCode::kUsage, "reading the certificate authorities of " + source + ": " + why};
}

}  // namespace

void Trust::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Trust::Trust(std::string source) : source_(std::move(source)), context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  // Some servers close the connection without close_notify. The length of an HTTP answer shows whether it is complete.
  SSL_CTX_set_options(context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
}
Trust::~Trust() = default;

Result<std::shared_ptr<const Trust>> Trust::OfCertificates(const std::vector<std::string>& certificates,
                                                           std::string source) {
  auto trust = std::make_shared<Trust>(std::move(source));
  if (certificates.empty()) return Unusable(trust->source_, "it has no certificate of an authority");
  X509_STORE* store = SSL_CTX_get_cert_store(trust->context());
  for (const std::string& der : certificates) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<X509, decltype(&X509_free)> parsed(d2i_X509(nullptr, &at, static_cast<long>(der.size())),
                                                             X509_free);
    if (!parsed || X509_STORE_add_cert(store, parsed.get()) != 1) {
      return Unusable(trust->source_, "a certificate cannot be read");
    }
  }
  return std::shared_ptr<const Trust>(std::move(trust));
}

Result<std::shared_ptr<const Trust>> Trust::OfPemFile(const std::string& path) {
  auto trust = std::make_shared<Trust>(path);
  if (SSL_CTX_load_verify_file(trust->context(), path.c_str()) != 1) {
    return Unusable(path, ::access(path.c_str(), R_OK) == 0 ? "it has no certificates in PEM" : "it cannot be read");
  }
  return std::shared_ptr<const Trust>(std::move(trust));
}

std::string PemOfCertificate(const std::string& der) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  PEM_write_bio(memory.get(), PEM_STRING_X509, "", bytes, static_cast<long>(der.size()));
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

Result<std::shared_ptr<const Trust>> Trust::OfSystem() {
  std::string checked;
  for (const char* path : kBundles) {
    if (::access(path, R_OK) == 0) return OfPemFile(path);
    checked += (checked.empty() ? "" : ", ") + std::string(path);
  }
  return Unusable("this machine", "none of these files exists: " + checked);
}

}  // namespace howdah::os::http
