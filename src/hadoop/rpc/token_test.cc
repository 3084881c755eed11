#include "howdah/hadoop/rpc/token.h"

#include <gtest/gtest.h>

#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/writable.h"
#include "howdah/hadoop/sasl/digest.h"
#include "test_recording.h"

namespace howdah::hadoop::rpc {
namespace {

TEST(VLong, EncodingMatchesWritableUtils) {
  struct {
    int64_t value;
    const char* hex;
  } const cases[] = {{0, "00"},
                     {127, "7f"},
                     {128, "8f80"},
                     {300, "8e012c"},
                     {-1, "ff"},
                     {-112, "90"},
                     {-113, "8770"},
                     {65536, "8d010000"},
                     {INT64_MAX, "887fffffffffffffff"},
                     {INT64_MIN, "807fffffffffffffff"}};
  for (const auto& c : cases) {
    std::string bytes;
    AppendVLong(bytes, c.value);
    EXPECT_EQ(sasl::Hex(bytes), c.hex);
    EXPECT_EQ(WritableReader(bytes).VLong(), c.value);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(WritableReader(std::string_view(bytes).substr(0, size)).VLong(), std::nullopt);
    }
  }
  EXPECT_EQ(WritableReader(FromHex("8b0100000000")).VInt(), std::nullopt) << "more than 32 bits";
}

Credentials Some() {
  return {{{"", {"id\0x", std::string(200, 'p'), "YARN_AM_RM_TOKEN", ""}},
           {"ha-hdfs:ns", {"i", "p", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns"}},
           {"other", {"j", "q", "HDFS_DELEGATION_TOKEN", "10.0.0.7:8020"}}},
          {{"secret", std::string("\0\xff", 2)}}};
}

TEST(Credentials, WrittenCredentialsAreParsed) {
  for (const Credentials& credentials : {Some(), Credentials()}) {
    const auto read = ParseCredentials(WriteCredentials(credentials));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, credentials);
  }
  EXPECT_EQ(sasl::Hex(WriteCredentials({})), "48445453000000");
}

TEST(Credentials, ProtobufVersionIsParsed) {
  ::hadoop::common::CredentialsProto message;
  for (const auto& [alias, token] : Some().tokens) {
    auto* entry = message.add_tokens();
    entry->set_alias(alias);
    entry->mutable_token()->set_identifier(token.identifier);
    entry->mutable_token()->set_password(token.password);
    entry->mutable_token()->set_kind(token.kind);
    entry->mutable_token()->set_service(token.service);
  }
  message.add_secrets()->set_alias("secret");
  message.mutable_secrets(0)->set_secret(std::string("\0\xff", 2));
  std::string bytes("HDTS\1");
  AppendDelimited(bytes, message);
  const auto read = ParseCredentials(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, Some());
}

TEST(Credentials, TruncationIsReported) {
  const std::string whole = WriteCredentials(Some());
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto read = ParseCredentials(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_NE(read.error().message.find("at byte "), std::string::npos) << read.error().message;
  }
}

TEST(Credentials, TokenIsFoundByKindAndService) {
  const Credentials credentials = Some();
  EXPECT_EQ(credentials.Find("HDFS_DELEGATION_TOKEN", "10.0.0.7:8020")->identifier, "j");
  EXPECT_EQ(credentials.Find("HDFS_DELEGATION_TOKEN")->identifier, "i");
  EXPECT_EQ(credentials.Find("NMToken"), nullptr);
  EXPECT_EQ(credentials.Find("HDFS_DELEGATION_TOKEN", "x"), nullptr);
}

}  // namespace
}  // namespace howdah::hadoop::rpc
