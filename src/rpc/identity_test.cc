#include "howdah/rpc/identity.h"

#include <gmock/gmock.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace howdah::rpc {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate ReadCertificate(const std::string& pem) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free};
}

// Returns X509_V_OK or the verification error.
int Verify(const std::string& ca_pem, const std::string& leaf_pem, int purpose) {
  Certificate ca = ReadCertificate(ca_pem), leaf = ReadCertificate(leaf_pem);
  std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), X509_STORE_free);
  X509_STORE_add_cert(store.get(), ca.get());
  X509_STORE_set_flags(store.get(), X509_V_FLAG_X509_STRICT);
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  return X509_verify_cert(context.get()) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context.get());
}

std::string NameOf(X509* certificate, int field) {
  char text[128] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), field, text, sizeof text);
  return text;
}

TEST(Identity, CertificateIsValidForItsOwnUsagesOnly) {
  auto job = MakeJobIdentities("howdah-20261121-064512-x7k2");
  ASSERT_TRUE(job.ok()) << job.error().message;
  struct Case {
    const Identity& identity;
    std::string_view name;
    bool server, client;
  } cases[] = {
      {job->am, kAmName, true, false},
      {job->executor, kExecutorName, true, true},  // a server for the sources of feeds
      {job->client, kClientName, false, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.identity.ca_certificate, job->am.ca_certificate);
    for (const auto& [purpose, valid] :
         {std::pair(X509_PURPOSE_SSL_SERVER, c.server), {X509_PURPOSE_SSL_CLIENT, c.client}})
      EXPECT_EQ(Verify(c.identity.ca_certificate, c.identity.certificate, purpose) == X509_V_OK, valid) << purpose;
    Certificate certificate = ReadCertificate(c.identity.certificate);
    EXPECT_EQ(NameOf(certificate.get(), NID_commonName), c.name);
    EXPECT_EQ(NameOf(certificate.get(), NID_organizationName), "howdah-20261121-064512-x7k2");
    EXPECT_EQ(X509_check_host(certificate.get(), c.name.data(), c.name.size(), 0, nullptr), 1);
    std::unique_ptr<BIO, decltype(&BIO_free)> bio(
        BIO_new_mem_buf(c.identity.private_key.data(), static_cast<int>(c.identity.private_key.size())), BIO_free);
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  }
}

TEST(Identity, CertificateIsBackdatedAndValidFor400Days) {
  auto job = MakeJobIdentities("j");
  ASSERT_TRUE(job.ok());
  Certificate certificate = ReadCertificate(job->am.certificate);
  int days = 0, seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate.get()), nullptr), 1);
  EXPECT_EQ(days, 0);
  EXPECT_THAT(seconds, testing::AllOf(testing::Ge(300), testing::Lt(400)));
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())), 1);
  EXPECT_THAT(days, testing::AllOf(testing::Ge(399), testing::Le(400)));
}

TEST(Identity, CertificateOfOtherJobIsRejected) {
  auto one = MakeJobIdentities("one"), other = MakeJobIdentities("other");
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(Verify(one->am.ca_certificate, other->executor.certificate, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  EXPECT_NE(one->executor.private_key, other->executor.private_key);
}

TEST(Identity, SerialsDifferAndLongJobIdIsCut) {
  auto job = MakeJobIdentities(std::string(200, 'j'));
  ASSERT_TRUE(job.ok()) << job.error().message;
  Certificate am = ReadCertificate(job->am.certificate), executor = ReadCertificate(job->executor.certificate);
  EXPECT_EQ(NameOf(am.get(), NID_organizationName), std::string(64, 'j'));
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(am.get()), X509_get0_serialNumber(executor.get())), 0);
  EXPECT_TRUE(MakeJobIdentities("").ok());
}

}  // namespace
}  // namespace howdah::rpc
