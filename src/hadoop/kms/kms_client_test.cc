#include "howdah/hadoop/kms/kms_client.h"

#include <gmock/gmock.h>

#include <random>

#include "base64.h"

namespace howdah::hadoop::kms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Provider, UrisNameOneOrSeveralServers) {
  const auto one = ParseProvider("kms://http@localhost:9600/kms");
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_THAT(one->roots, ElementsAre("http://localhost:9600/kms"));
  EXPECT_EQ(one->first.Text(), "localhost:9600");
  const auto two = ParseProvider("kms://https@example.com;example.org:9393/kms");
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_THAT(two->roots, ElementsAre("https://example.com:9393/kms", "https://example.org:9393/kms"));
  EXPECT_EQ(two->first.Text(), "example.com:9393");
  EXPECT_EQ(two->uri, "kms://https@example.com;example.org:9393/kms");
}

TEST(Provider, OtherUrisAreRefused) {
  for (const char* uri :
       {"", "kms://", "jceks://file@/tmp/keys", "kms://http@/kms", "kms://http@host/kms", "kms://ftp@host:1/kms",
        "kms://http@host:x/kms", "kms://http@host:9600", "kms://host:9600/kms", "kms://http@a;;b:9600/kms"}) {
    const auto parsed = ParseProvider(uri);
    ASSERT_FALSE(parsed.ok()) << uri;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_THAT(parsed.error().message, HasSubstr("'" + std::string(uri) + "' is not the URI of a KMS"));
  }
}

// The expected text is Base64 of the token in org.apache.hadoop.io.WritableUtils' encoding: each part with its length.
TEST(UrlText, TokenIsEncodedAsByJava) {
  const rpc::Token token{"id", "pw", "kms-dt", "s"};
  EXPECT_EQ(ToUrlText(token), "AmlkAnB3Bmttcy1kdAFz");
  EXPECT_EQ(TokenOfUrlText("AmlkAnB3Bmttcy1kdAFz"), token);
}

TEST(UrlText, MutationsAreSafe) {
  const std::string text =
      ToUrlText({std::string(90, '\xff'), std::string(20, '\x80'), "kms-dt", "kms://http@h:1/kms"});
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string mutated = text;
    if (round % 2 == 0) mutated.resize(random() % mutated.size());
    for (int edit = 0; edit < 3 && !mutated.empty(); ++edit) {
      mutated[random() % mutated.size()] = static_cast<char>(random());
    }
    refused += TokenOfUrlText(mutated) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Base64, BothAlphabetsWithAndWithoutPadding) {
  const std::string bytes("\xfb\xff\xfe\x01", 4);
  EXPECT_EQ(EncodeUrlBase64(bytes), "-__-AQ");
  for (const char* text : {"-__-AQ", "+//+AQ==", "-__-AQ=="}) EXPECT_EQ(DecodeBase64(text), bytes) << text;
  EXPECT_EQ(DecodeBase64(""), "");
  for (const char* text : {"A", "AAAAA", "A A=", "A=AA", "A*AA", "\xff\xff\xff\xff"}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace howdah::hadoop::kms
