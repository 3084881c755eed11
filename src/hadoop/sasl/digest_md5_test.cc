// Compares DigestMd5 with the JDK's SASL server, which produced the expected values.
#include "howdah/hadoop/sasl/digest_md5.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::sasl {
namespace {

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

const DigestSecret kSecret = SecretOf(FromHex("0a1408ff010203040506"), "0123456789abcdefghij");

std::string ChallengeOf(const std::string& nonce, const std::string& qop) {
  return "realm=\"default\",nonce=\"" + nonce + "\",qop=\"" + qop +
         "\",charset=utf-8,cipher=\"3des,rc4,des,rc4-56,rc4-40\",algorithm=md5-sess";
}

struct Vector {
  const char *qop, *nonce, *cnonce, *response, *rspauth;
  size_t wrap_size;
};

class VectorTest : public testing::TestWithParam<Vector> {};

TEST_P(VectorTest, ResponseAndProofMatchJdk) {
  const Vector v = GetParam();
  DigestMd5 digest(kSecret, "/default", v.cnonce);
  const auto response = digest.Start(ChallengeOf(v.nonce, v.qop));
  ASSERT_TRUE(response) << response.error().message;
  std::string expected = std::string("charset=utf-8,username=\"ChQI/wECAwQFBg==\",realm=\"default\",nonce=\"") +
                         v.nonce + "\",nc=00000001,cnonce=\"" + v.cnonce +
                         "\",digest-uri=\"/default\",maxbuf=65536,response=" + v.response + ",qop=" + v.qop;
  if (std::string(v.qop) == "auth-conf") expected += ",cipher=\"3des\"";
  EXPECT_EQ(*response, expected);
  EXPECT_TRUE(digest.Finish(std::string("rspauth=") + v.rspauth).ok());
  EXPECT_EQ(digest.wrap_size(), v.wrap_size);
  EXPECT_FALSE(digest.Finish(std::string("rspauth=") + v.response).ok()) << "an invalid proof";
  EXPECT_FALSE(digest.Finish(std::nullopt).ok());
}

const Vector kAuth{"auth",
                   "cNvgadkcka0D3sXpdHILSvJXVwHboLBWpe1FjJDK",
                   "qJKUKgx5Y90ZoEKDYqAvTr2BR0i38lO15WrqyfKe",
                   "df75567cd8147fd599042150629cbe7b",
                   "8ee26556b4da1e9413e6867d3b604edd",
                   0};
const Vector kInt{"auth-int",
                  "8zKU0o20CVrRGzzVqc9l33V2idR2kiFia+flWjAc",
                  "qwor1EMeCAnDJGCAC7xKygEFGdYMlz5nNrw82wpa",
                  "bf7ce60592bad72bd06773fc1c883200",
                  "887be4d48a2e238b844883941538092d",
                  65520};
const Vector kConf{"auth-conf",
                   "LUWOhZP6dV+Xf7M9yXBF2N0St1pwOE9N2JsUh/s1",
                   "TDH0wrBuqdbBCURjAp4kvaJYqkYC0C1BkVKOHurP",
                   "839cc03ca56404aa61b374461eea4943",
                   "bd93928359e2ade1c2ef51586c73b18e",
                   65510};

INSTANTIATE_TEST_SUITE_P(Jdk, VectorTest, testing::Values(kAuth, kInt, kConf), [](const auto& info) {
  return std::string(info.param.qop).substr(0, 4) + std::to_string(info.index);
});

std::unique_ptr<DigestMd5> Agreed(const Vector& v) {
  auto digest = std::make_unique<DigestMd5>(kSecret, "/default", v.cnonce);
  EXPECT_TRUE(digest->Start(ChallengeOf(v.nonce, v.qop)));
  EXPECT_TRUE(digest->Finish(std::string("rspauth=") + v.rspauth).ok());
  return digest;
}

struct Records {
  Vector vector;
  const char *first, *from_server, *second;
};

class RecordTest : public testing::TestWithParam<Records> {};

TEST_P(RecordTest, RecordsAreWrappedAndUnwrapped) {
  const Records records = GetParam();
  auto digest = Agreed(records.vector);
  EXPECT_EQ(Hex(*digest->Wrap("hello")), records.first);
  EXPECT_EQ(*digest->Unwrap(FromHex(records.from_server)), "world!");
  EXPECT_EQ(Hex(*digest->Wrap("hello2")), records.second);
  EXPECT_FALSE(digest->Unwrap(FromHex(records.from_server))) << "a replayed record";
}

TEST_P(RecordTest, FlippedBitIsDetected) {
  const std::string record = FromHex(GetParam().from_server);
  for (size_t bit = 0; bit < record.size() * 8; ++bit) {
    std::string forged = record;
    forged[bit / 8] = static_cast<char>(static_cast<unsigned char>(forged[bit / 8]) ^ (1U << (bit % 8)));
    EXPECT_FALSE(Agreed(GetParam().vector)->Unwrap(forged)) << bit;
  }
  for (size_t size = 0; size < record.size(); ++size) {
    EXPECT_FALSE(Agreed(GetParam().vector)->Unwrap(record.substr(0, size))) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Jdk, RecordTest,
                         testing::Values(Records{kInt, "68656c6c6fa5b1737d1737e0404c1c000100000000",
                                                 "776f726c6421ab20f8139b1237a7a1c9000100000000",
                                                 "68656c6c6f32afbcb7e72a52bc5ff22b000100000001"},
                                         Records{kConf, "813e86a02f0c7eb30e7148d0e7d8d9db000100000000",
                                                 "a36ac3dd86e8929ea44b71d3a7bfe1ebef1d1e388bb8375c000100000000",
                                                 "fc561a8ebfddd1076dbbbc9cb1baefc7d283a472d8bcbb93000100000001"}));

TEST(DigestMd5, StrongestOfferedProtectionIsChosen) {
  struct {
    const char *qops, *ciphers, *chosen;  // chosen: null if the challenge is refused
  } const cases[] = {
      {"auth,auth-int,auth-conf", "3des,rc4", "auth-conf"},
      {"auth-int,auth", "", "auth-int"},
      {"auth-conf,auth-int,auth", "rc4,des", "auth-int"},
      {"auth-conf", "rc4", nullptr},
      {" auth , auth-int ", "", "auth-int"},
      {"auth-future,auth", "", "auth"},
      {"auth-future", "3des", nullptr},
  };
  for (const auto& c : cases) {
    DigestMd5 digest(kSecret, "/default", "c");
    const auto response = digest.Start("realm=\"default\",nonce=\"n\",qop=\"" + std::string(c.qops) + "\",cipher=\"" +
                                       c.ciphers + "\",algorithm=md5-sess");
    ASSERT_EQ(response.ok(), c.chosen != nullptr) << c.qops;
    EXPECT_EQ(c.chosen ? FindDirective(*response, "qop") : "", c.chosen ? c.chosen : "") << c.qops;
  }
}

TEST(DigestChallenge, ChallengeIsParsedAsInRfc2831) {
  const auto challenge = ParseDigestChallenge(
      " realm=\"de\\\"fa,ult\" , nonce = \"a+b/c=\",,qop=\"auth\",realm=\"other\",maxbuf=4096,algorithm=md5-sess,x=y");
  ASSERT_TRUE(challenge) << challenge.error().message;
  EXPECT_EQ(challenge->realm, "de\"fa,ult");
  EXPECT_EQ(challenge->nonce, "a+b/c=");
  EXPECT_EQ(challenge->max_buffer, 4096U);
  for (const char* wrong : {"", "nonce=\"n\"", "nonce=\"n,algorithm=md5-sess", "algorithm=md5-sess", "nonce",
                            "nonce=\"n\"x,algorithm=md5-sess", "nonce=\"n\",algorithm=md5",
                            "nonce=\"n\",nonce=\"m\",algorithm=md5-sess", "nonce=\"n\",maxbuf=1x,algorithm=md5-sess"}) {
    EXPECT_FALSE(ParseDigestChallenge(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace howdah::hadoop::sasl
