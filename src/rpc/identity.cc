#include "howdah/rpc/identity.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>

namespace howdah::rpc {
namespace {

constexpr long kBackdateSeconds = 5 * 60;  // certificates are backdated, because clocks differ between nodes
constexpr long kValidSeconds = 400L * 24 * 3600;

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;

Error OpensslError(std::string_view doing) {
  char text[256] = "no reason given";
  if (unsigned long code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return Failed(std::string(doing) + ": " + text);
}

bool SetSerial(X509* certificate) {
  unsigned char random[16];
  if (RAND_bytes(random, sizeof random) != 1) return false;
  random[0] = static_cast<unsigned char>((random[0] & 0x7f) | 0x40);  // positive, and always 16 bytes
  std::unique_ptr<BIGNUM, Freer<BN_free>> number(BN_bin2bn(random, sizeof random, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool AddName(X509_NAME* name, const char* field, std::string_view value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Sets the fields that all certificates of a job have: serial, validity, key, and a subject with the party and the job.
bool FillCommon(X509* certificate, EVP_PKEY* key, std::string_view name, std::string_view job_id) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  // Common name and organisation are limited to 64 characters (RFC 5280). The job id is cut, because it is only
  // informative.
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetSerial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kBackdateSeconds) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 && (job_id.empty() || AddName(subject, "O", job_id.substr(0, 64))) &&
         AddName(subject, "CN", name);
}

Result<Certificate> MakeCa(EVP_PKEY* key, std::string_view job_id) {
  Certificate ca(X509_new());
  if (!ca || !FillCommon(ca.get(), key, "howdah-ca", job_id) ||
      X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) != 1 ||
      !AddExtension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !AddExtension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign") ||
      !AddExtension(ca.get(), ca.get(), NID_subject_key_identifier, "hash") ||
      X509_sign(ca.get(), key, EVP_sha256()) == 0) {
    return OpensslError("making the job's CA");
  }
  return ca;
}

Result<std::string> ToPem(auto write) {
  Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || write(bio.get()) != 1) return OpensslError("writing PEM");
  char* data = nullptr;
  long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Result<Identity> MakeIdentity(X509* ca, EVP_PKEY* ca_key, std::string_view name, const char* usage,
                              std::string_view job_id) {
  Key key(EVP_EC_gen("P-256"));
  Certificate leaf(X509_new());
  if (!key || !leaf || !FillCommon(leaf.get(), key.get(), name, job_id) ||
      X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca)) != 1 ||
      !AddExtension(leaf.get(), ca, NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(leaf.get(), ca, NID_key_usage, "critical,digitalSignature") ||
      !AddExtension(leaf.get(), ca, NID_ext_key_usage, usage) ||
      !AddExtension(leaf.get(), ca, NID_subject_alt_name, "DNS:" + std::string(name)) ||
      !AddExtension(leaf.get(), ca, NID_authority_key_identifier, "keyid") ||
      X509_sign(leaf.get(), ca_key, EVP_sha256()) == 0) {
    return OpensslError("making the certificate of " + std::string(name));
  }
  auto ca_pem = ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, ca); });
  auto leaf_pem = ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, leaf.get()); });
  auto key_pem =
      ToPem([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  if (!ca_pem) return ca_pem.error();
  if (!leaf_pem) return leaf_pem.error();
  if (!key_pem) return key_pem.error();
  return Identity{std::move(*ca_pem), std::move(*leaf_pem), std::move(*key_pem)};
}

}  // namespace

Result<JobIdentities> MakeJobIdentities(std::string_view job_id) {
  Key ca_key(EVP_EC_gen("P-256"));
  if (!ca_key) return OpensslError("making the key of the job's CA");
  HOWDAH_TRY(auto ca, MakeCa(ca_key.get(), job_id));

  HOWDAH_TRY(auto am, MakeIdentity(ca.get(), ca_key.get(), kAmName, "serverAuth", job_id));
  HOWDAH_TRY(auto executor, MakeIdentity(ca.get(), ca_key.get(), kExecutorName, "clientAuth,serverAuth", job_id));
  HOWDAH_TRY(auto client, MakeIdentity(ca.get(), ca_key.get(), kClientName, "clientAuth", job_id));
  return JobIdentities{std::move(am), std::move(executor), std::move(client)};
}

}  // namespace howdah::rpc
