// Compares handshakes and protected bytes with those of a real DataNode, and mutates what it sent.
#include "transfer_handshake.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <sstream>

#include "aes_ctr.h"
#include "data_node_connector.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;
using ::testing::HasSubstr;

constexpr const char* kText = "hello, protected world";

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

struct Recorded {
  std::string way, cnonce, key, token, password, wire;
  std::vector<std::string> sent, got;

  HandshakeLogin login() const {
    if (!key.empty()) {
      pb::DataEncryptionKeyProto proto;
      EXPECT_TRUE(proto.ParseFromString(key));
      return LoginWithKey(proto);
    }
    ::hadoop::common::TokenProto proto;
    proto.set_identifier(token);
    proto.set_password(password);
    return LoginWithToken(proto, "BP-1", {2, "dfs.data.transfer.protection"});
  }
};

std::vector<Recorded> ReadRecorded() {
  std::ifstream file(HOWDAH_SOURCE_DIR "/src/hadoop/hdfs/testdata/protected_reads.txt");
  EXPECT_TRUE(file.is_open());
  std::vector<Recorded> all;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, value;
    words >> name >> value;
    if (name.empty() || name == "#") continue;
    if (name == "way") all.push_back({value});
    Recorded& last = all.back();
    if (name == "cnonce") last.cnonce = value;
    if (name == "key") last.key = FromHex(value);
    if (name == "token") last.token = FromHex(value);
    if (name == "password") last.password = FromHex(value);
    if (name == "sent") last.sent.push_back(FromHex(value));
    if (name == "got") last.got.push_back(FromHex(value));
    if (name == "wire") last.wire = FromHex(value);
  }
  return all;
}

TransferHandshake::Message MessageOf(const std::string& bytes) {
  TransferHandshake::Message message;
  ParseMessage(bytes, message);
  return message;
}

// Reads the recorded answers. Returns the codec, or null after an error.
std::unique_ptr<TransferCodec> Repeat(const Recorded& recorded, TransferHandshake& handshake) {
  EXPECT_EQ(handshake.Begin(), recorded.sent[0]);
  const auto answer = handshake.Receive(MessageOf(recorded.got[0]));
  EXPECT_TRUE(answer.ok() && answer->has_value()) << recorded.way;
  if (!answer.ok() || !*answer) return nullptr;
  EXPECT_EQ(**answer, recorded.sent[1]) << recorded.way;
  const auto end = handshake.Receive(MessageOf(recorded.got[1]));
  EXPECT_TRUE(end.ok() && !end->has_value()) << recorded.way;
  return handshake.TakeCodec();
}

// Parses a DataNode's answer and the packet after it. Returns the data of the packet.
std::string DataOf(std::string_view plain) {
  const auto extent = DelimitedExtent(plain);
  if (!extent || !*extent) return {};
  pb::BlockOpResponseProto response;
  if (!ParseMessage(plain.substr((*extent)->begin, (*extent)->size), response)) return {};
  plain.remove_prefix((*extent)->begin + (*extent)->size);
  const auto prefix = ParsePacketPrefix(plain);
  if (!prefix) return {};
  plain.remove_prefix(PacketPrefix::kSize + prefix->header);
  return std::string(plain.substr(4, prefix->body - 4));  // one checksum of 4 bytes precedes the data
}

TEST(TransferHandshake, RecordedConversationsAreRepeated) {
  const auto all = ReadRecorded();
  ASSERT_EQ(all.size(), 3U);
  for (const Recorded& recorded : all) {
    TransferHandshake handshake(recorded.login(), recorded.cnonce);
    const auto codec = Repeat(recorded, handshake);
    ASSERT_NE(codec, nullptr) << recorded.way;
    EXPECT_EQ(handshake.protection(), recorded.way == "key-aes"     ? "encrypted (AES/CTR)"
                                      : recorded.way == "integrity" ? "authenticated, with integrity"
                                                                    : "encrypted (triple DES)");
    for (const size_t step : {recorded.wire.size(), size_t{1}, size_t{7}}) {
      TransferHandshake again(recorded.login(), recorded.cnonce);
      const auto in_pieces = Repeat(recorded, again);
      std::string plain;
      for (size_t at = 0; at < recorded.wire.size(); at += step) {
        ASSERT_TRUE(in_pieces->Decode(std::string_view(recorded.wire).substr(at, step), plain).ok());
      }
      EXPECT_EQ(DataOf(plain), kText) << recorded.way << " in pieces of " << step;
    }
  }
}

TEST(TransferHandshake, FlippedBitsOfRecordsAreDetected) {
  for (const Recorded& recorded : ReadRecorded()) {
    if (recorded.way == "key-aes") continue;  // AES/CTR has no integrity check; the packets' checksums detect errors
    for (size_t bit = 0; bit < recorded.wire.size() * 8; bit += 5) {
      TransferHandshake handshake(recorded.login(), recorded.cnonce);
      const auto codec = Repeat(recorded, handshake);
      std::string wire = recorded.wire, plain;
      wire[bit / 8] = static_cast<char>(static_cast<unsigned char>(wire[bit / 8]) ^ (1U << (bit % 8)));
      const Status decoded = codec->Decode(wire, plain);
      // A longer length makes the record incomplete.
      EXPECT_TRUE(!decoded.ok() || plain.size() < recorded.wire.size() / 2 || DataOf(plain) != kText) << bit;
    }
  }
}

TEST(TransferHandshake, MutatedAnswersAreSafe) {
  std::mt19937 random(7);
  int refused = 0;
  for (const Recorded& recorded : ReadRecorded()) {
    for (int round = 0; round < 1000; ++round) {
      std::string answers[] = {recorded.got[0], recorded.got[1]};
      std::string wire = recorded.wire;
      std::string& changed = round % 3 == 2 ? wire : answers[round % 3];
      for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
        const size_t at = random() % changed.size();
        if (random() % 4 == 0) changed.erase(at, 1 + random() % 4);
        if (changed.empty()) break;
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      TransferHandshake handshake(recorded.login(), recorded.cnonce);
      const auto response = handshake.Receive(MessageOf(answers[0]));
      const auto end = response.ok() ? handshake.Receive(MessageOf(answers[1])) : response;
      const auto codec = handshake.TakeCodec();
      std::string plain;
      const bool decoded = codec && codec->Decode(wire, plain).ok();
      refused += !end.ok() || !decoded ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 1500);
}

TEST(TransferHandshake, RefusalsAreExplained) {
  const Recorded recorded = ReadRecorded()[1];
  TransferHandshake::Message refusal;
  refusal.set_status(TransferHandshake::Message::ERROR_UNKNOWN_KEY);
  refusal.set_message("the required block key (keyID=7) doesn't exist");
  TransferHandshake unknown(recorded.login(), "c");
  EXPECT_THAT(unknown.Receive(refusal).error().message, HasSubstr("(keyID=7) doesn't exist"));
  EXPECT_TRUE(unknown.key_unknown());

  refusal.set_status(TransferHandshake::Message::ERROR);
  TransferHandshake other(recorded.login(), "c");
  EXPECT_FALSE(other.Receive(refusal).ok());
  EXPECT_FALSE(other.key_unknown());

  auto only_privacy = recorded.login();
  only_privacy.accepted = {4, "dfs.data.transfer.protection in hdfs-site.xml"};
  TransferHandshake stricter(only_privacy, "c");
  EXPECT_THAT(
      stricter.Receive(MessageOf(recorded.got[0])).error().message,
      HasSubstr("offers only the protection integrity, but dfs.data.transfer.protection in hdfs-site.xml allows "
                "only privacy"));
}

// Tokens of blocks from a NameNode of Hadoop 3.3.6 with dfs.namenode.send.qop.enabled, in both of its formats, and one
// from a NameNode without it.
TEST(TransferHandshake, MessageOfTheNameNodeIsPassedOn) {
  struct {
    const char *token, *message;
  } const cases[] = {
      {"8a01a220446ae28c2a92bea500000004726f6f740000002442502d3733323336363938392d3132372e302e302e312d31373935383030373"
       "9"
       "303833368c4000000101045245414401044449534b010000002744532d31303332333031362d336330322d343137612d386161612d65333"
       "8"
       "66323864393566393408617574682d696e74",
       "auth-int"},
      {"08c5e29182a234108098b7bb021a04726f6f74222442502d3733323336363938392d3132372e302e302e312d31373935383030373930383"
       "336"
       "28828080800430013801422744532d31303332333031362d336330322d343137612d386161612d6533386632386439356639344a0861757"
       "4"
       "682d696e74",
       "auth-int"},
      {"8a01a2203ef3738c32e5d6c200000004726f6f740000002442502d3733323336363938392d3132372e302e302e312d31373935383030373"
       "9"
       "303833368c4000000201045245414401044449534b010000002744532d64353632366234392d353966332d343539382d396238662d31386"
       "6"
       "653861613334646333",
       ""},
  };
  for (const auto& c : cases) {
    ::hadoop::common::TokenProto token;
    token.set_identifier(FromHex(c.token));
    const HandshakeLogin login = LoginWithToken(token, "BP-7", {});
    EXPECT_EQ(login.qop_message, c.message);
    const std::string begin = TransferHandshake(login, "c").Begin();
    const auto first = MessageOf(begin.substr(5));
    EXPECT_EQ(first.handshakesecret().secret(), c.message);
    EXPECT_EQ(first.handshakesecret().bpid(), login.qop_message.empty() ? "" : "BP-7");
    for (size_t size = 0; size < token.identifier().size(); ++size) {
      ::hadoop::common::TokenProto cut = token;
      cut.mutable_identifier()->resize(size);
      LoginWithToken(cut, "BP-7", {});
    }
  }
}

TEST(DataNodeConnector, HandshakeDependsOnKeyLoginPortAndConfiguration) {
  using enum HandshakeKind;
  struct {
    bool key, kerberos;
    int accepted;
    uint32_t port;
    HandshakeKind kind;
  } const cases[] = {
      {false, false, 0, 9866, kNone},     {false, false, 4, 9866, kNone},  {true, false, 0, 9866, kWithKey},
      {false, true, 0, 9866, kNone},      {false, true, 1, 1023, kNone},   {false, true, 1, 1024, kWithToken},
      {false, true, 7, 9866, kWithToken}, {true, true, 7, 1004, kWithKey},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(HandshakeFor(c.key, {c.kerberos, c.accepted, "", ""}, c.port), c.kind) << c.port << " " << c.accepted;
  }
}

// NIST SP 800-38A, F.5.1 and F.5.5.
TEST(AesCtr, VectorsOfNistAtEveryOffset) {
  struct {
    const char *key, *cipher;
  } const cases[] = {
      {"2b7e151628aed2a6abf7158809cf4f3c",
       "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d"
       "1"
       "792170a0f3009cee"},
      {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
       "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada"
       "6"
       "13c2dd08457941a6"},
  };
  const std::string plain = FromHex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17"
      "ad2b417be66c3710");
  const std::string iv = FromHex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  for (const auto& c : cases) {
    for (size_t offset = 0; offset < plain.size(); ++offset) {
      auto stream = AesCtr::Make(FromHex(c.key), iv, offset);
      ASSERT_TRUE(stream) << stream.error().message;
      std::string out = plain.substr(offset);
      ASSERT_TRUE(stream->Run(out.data(), out.size(), out.data()).ok());
      EXPECT_EQ(out, FromHex(c.cipher).substr(offset)) << offset;
    }
  }
  EXPECT_FALSE(AesCtr::Make("short", iv).ok());
  EXPECT_FALSE(AesCtr::Make(FromHex(cases[0].key), "short").ok());
}

TEST(AesCtr, CounterOverflowsLikeANumberOf16Bytes) {
  const std::string key(16, 'k');
  auto whole = AesCtr::Make(key, std::string(16, '\xff'));
  auto second = AesCtr::Make(key, std::string(16, '\0'));
  ASSERT_TRUE(whole && second);
  std::string two(32, '\0'), one(16, '\0');
  ASSERT_TRUE(whole->Run(two.data(), two.size(), two.data()).ok());
  ASSERT_TRUE(second->Run(one.data(), one.size(), one.data()).ok());
  EXPECT_EQ(two.substr(16), one);
  auto jumped = AesCtr::Make(key, std::string(16, '\xff'), 16);
  std::string after(16, '\0');
  ASSERT_TRUE(jumped->Run(after.data(), after.size(), after.data()).ok());
  EXPECT_EQ(after, one);
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
