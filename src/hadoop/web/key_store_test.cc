// Trust stores that keytool of JDK 17 has written: two.jks and two.pkcs12 have both certificates, legacy.pkcs12 has
// one, encrypted with RC2 (keystore.pkcs12.legacy). The password is "changeit".
#include "key_store.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <sstream>

#include "howdah/os/http/trust.h"

namespace howdah::hadoop::web {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string Recorded(const std::string& name) {
  std::ifstream file(HOWDAH_SOURCE_DIR "/src/hadoop/web/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

TEST(KeyStore, CertificatesOfJavaAreFound) {
  const std::string first = Recorded("ca1.der"), second = Recorded("ca2.der");
  for (const char* name : {"two.jks", "two.pkcs12"}) {
    const auto found = AuthoritiesIn(Recorded(name), "changeit");
    ASSERT_TRUE(found.ok()) << name << ": " << found.error().message;
    EXPECT_THAT(*found, UnorderedElementsAre(first, second)) << name;
    EXPECT_TRUE(os::http::Trust::OfCertificates(*found, name).ok());
    const auto wrong = AuthoritiesIn(Recorded(name), "wrong");
    ASSERT_FALSE(wrong.ok()) << name;
    EXPECT_THAT(wrong.error().message, HasSubstr("ssl.client.truststore.password"));
  }
  EXPECT_TRUE(AuthoritiesIn(Recorded("two.jks"), std::nullopt).ok()) << "the password only protects the integrity";
  EXPECT_FALSE(AuthoritiesIn(Recorded("two.pkcs12"), std::nullopt).ok());
}

TEST(KeyStore, UnsupportedStoresAreExplained) {
  EXPECT_THAT(AuthoritiesIn(Recorded("legacy.pkcs12"), "changeit").error().message, HasSubstr("HOWDAH_CA"));
  EXPECT_THAT(AuthoritiesIn("\xCE\xCE\xCE\xCE rest", "x").error().message, HasSubstr("JCEKS"));
  EXPECT_THAT(AuthoritiesIn("", "x").error().message, HasSubstr("neither a JKS nor a PKCS#12"));
  EXPECT_THAT(AuthoritiesIn("-----BEGIN CERTIFICATE-----", "x").error().message, HasSubstr("neither a JKS"));
}

// An entry with a private key: of its chain only the first certificate is trusted.
TEST(KeyStore, FirstCertificateOfAKeyEntryIsTrusted) {
  const auto number = [](uint64_t value, int size) {
    std::string bytes;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const auto certificate = [&](const std::string& der) { return number(5, 2) + "X.509" + number(der.size(), 4) + der; };
  const std::string store = number(0xFEEDFEED, 4) + number(2, 4) + number(1, 4) + number(1, 4) + number(3, 2) + "own" +
                            number(0, 8) + number(7, 4) + "the key" + number(2, 4) + certificate("first") +
                            certificate("second") + std::string(20, '\0');
  const auto found = AuthoritiesIn(store, std::nullopt);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(*found, UnorderedElementsAre("first"));
}

TEST(KeyStore, MutationsAreSafe) {
  std::mt19937 random(3);
  int refused = 0;
  for (const char* name : {"two.jks", "two.pkcs12"}) {
    const std::string original = Recorded(name);
    for (int round = 0; round < 1000; ++round) {
      std::string store = original;
      for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
        const size_t at = random() % store.size();
        if (random() % 3 == 0) store.erase(at, 1 + random() % 8);
        store[random() % store.size()] = static_cast<char>(random());
      }
      const auto found = AuthoritiesIn(store, "changeit");
      refused += found.ok() ? 0 : 1;
      static_cast<void>(AuthoritiesIn(store, std::nullopt));
    }
  }
  EXPECT_GT(refused, 1900) << "both formats have a check of their integrity";
}

}  // namespace
}  // namespace howdah::hadoop::web
