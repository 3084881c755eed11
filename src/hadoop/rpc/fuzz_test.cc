// Random mutations (fixed seeds) of files and of messages from peers. No input may cause a crash, a hang or a read out
// of bounds.
#include <gtest/gtest.h>

#include <random>

#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/rpc/writable.h"
#include "howdah/hadoop/sasl/digest_md5.h"
#include "test_recording.h"

namespace howdah::hadoop::rpc {
namespace {

constexpr int kMutations = 2000;

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string operator()(std::string bytes) {
    for (uint32_t changes = Below(4) + 1; changes > 0 && !bytes.empty(); --changes) Change(bytes);
    return bytes;
  }
  uint32_t Below(size_t limit) { return static_cast<uint32_t>(random_() % std::max<size_t>(limit, 1)); }

 private:
  void Change(std::string& bytes) {
    const size_t at = Below(bytes.size()), length = Below(std::min<size_t>(bytes.size() - at, 16)) + 1;
    switch (Below(7)) {
      case 0:
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << Below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5:
        bytes.insert(at, length, static_cast<char>(random_()));
        break;
      default:  // overwrite a length with a limit value
        bytes[at] = "\x00\x7f\x80\xff\x01"[Below(5)];
    }
  }

  std::mt19937 random_;
};

class FuzzResponsesTest : public testing::TestWithParam<const char*> {};

TEST_P(FuzzResponsesTest, MutatedServerBytesAreSafe) {
  const Recording recording = ReadRecording(GetParam());
  int failed = 0;
  for (uint32_t seed = 0; seed < kMutations; ++seed) {
    Mutator mutate(seed);
    // Mutate each server segment in turn, so that the mutations reach later states, too.
    std::vector<size_t> segments;
    for (size_t i = 0; i < recording.steps.size(); ++i) {
      if (recording.steps[i].word == "server") segments.push_back(i);
    }
    const size_t changed = segments[mutate.Below(segments.size())];
    Connection connection(recording.options);
    for (size_t i = 0; i < recording.steps.size(); ++i) {
      const auto& step = recording.steps[i];
      if (step.word == "call") StartCall(connection, step);
      if (step.word != "server") continue;
      FeedInPieces(connection, i == changed ? mutate(step.bytes) : step.bytes, mutate.Below(64) + 1);
      connection.TakeOutput();
      EXPECT_LE(connection.TakeAnswers().size(), 1U);
    }
    failed += connection.failure() ? 1 : 0;
  }
  EXPECT_GT(failed, kMutations / 10) << "the mutations have no effect";
}

INSTANTIATE_TEST_SUITE_P(Recorded, FuzzResponsesTest,
                         testing::Values("simple.txt", "error.txt", "fatal.txt", "token.txt", "privacy.txt"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(Fuzz, MutatedDigestChallengesAreSafe) {
  const std::string challenge =
      "realm=\"default\",nonce=\"wcFlElHh2HLByU2MDyd+DMuuA/=\",qop=\"auth-conf,auth-int,auth\",charset=utf-8,"
      "cipher=\"3des,rc4,des\",maxbuf=65536,algorithm=md5-sess";
  int read = 0;
  for (uint32_t seed = 0; seed < kMutations; ++seed) {
    Mutator mutate(seed);
    sasl::DigestMd5 digest({"id", "pw"}, "/default", "cnonce");
    const auto response = digest.Start(mutate(challenge));
    if (!response) continue;
    ++read;
    EXPECT_FALSE(digest.Finish(mutate("rspauth=ea40f60335c427b5527b84dbabcdfffd")));
  }
  EXPECT_GT(read, kMutations / 20);
  EXPECT_LT(read, kMutations);
}

TEST(Fuzz, MutatedTokenFilesAreSafe) {
  Credentials some{{{"", {"id", std::string(200, 'p'), "YARN_AM_RM_TOKEN", ""}},
                    {"a", {"i", "p", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns"}}},
                   {{"secret", "s"}}};
  std::string version1("HDTS\1");
  AppendDelimited(version1, FromHex("0a200a01611a1b0a0269641202707712044b494e4422087365727669636531"));
  int refused = 0;
  for (uint32_t seed = 0; seed < kMutations; ++seed) {
    Mutator mutate(seed);
    refused += ParseCredentials(mutate(WriteCredentials(some))) ? 0 : 1;
    refused += ParseCredentials(mutate(version1)) ? 0 : 1;
  }
  EXPECT_GT(refused, kMutations / 10);
  EXPECT_LT(refused, 2 * kMutations);
  // The counts and lengths in this input exceed the available memory.
  EXPECT_FALSE(ParseCredentials(std::string("HDTS\0\x8c\x7f\xff\xff\xff", 10)));
  EXPECT_FALSE(ParseCredentials(std::string("HDTS\0\1\x8c\x7f\xff\xff\xff", 11)));
}

}  // namespace
}  // namespace howdah::hadoop::rpc
