#include "local_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block_digest.h"
#include "howdah/base/crc.h"
#include "test_feeds.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;

class LocalSourcesTest : public FeedsTest {
 protected:
  LocalSourcesTest() : LocalSourcesTest(OptionsOf(1)) {}
  explicit LocalSourcesTest(const Options& options) : FeedsTest(options), sources(feeds.SourcePorts()) {}

  // A source on this machine, and what it has received.
  struct Source {
    ConnectionId connection = 0;
    int64_t last = 0;
    std::map<int64_t, TestJson> replies = {};  // by id
    std::shared_ptr<const os::files::Fd> file = nullptr;
  };
  // Returns the id of the request.
  int64_t Ask(Source& source, const TestJson& fields, const std::string& bytes = "") {
    TestJson line = fields;
    line["id"] = ++source.last;
    sources.OnRequest(source.connection, line.dump() + "\n" + bytes, [&source](const ReaderReply& reply) {
      const TestJson json = TestJson::parse(reply.front().text);
      source.replies[json["id"]] = json;
      if (!reply.front().files.empty()) source.file = reply.front().files.front();
    });
    am.Handle(feeds);
    return source.last;
  }
  Source Begin(ConnectionId connection, const std::string& token = kTestToken) {
    Source source{connection};
    Ask(source, {{"token", token}});
    return source;
  }
  int64_t Announce(Source& source, Rows rows, int64_t bytes, const std::string& body = "", int partition = 0,
                   const TestJson& digest = nullptr) {
    const std::string command =
        TestJson{{"feed", "train"}, {"pass", 0}, {"partition", partition}, {"reader", 0}}.dump();
    const std::string metadata = TestJson{{"from", rows.from}, {"digest", digest}}.dump();
    const std::string header = TestMessage(TestHeader::kRecordBatch, rows.count(), bytes);
    const TestJson sizes = {command.size(), metadata.size(), TestSchema().size(), header.size(), bytes};
    return Ask(source, {{"put", sizes}}, command + metadata + TestSchema() + header + body);
  }
  // Writes the body of an announced block, and returns the answer.
  TestJson Write(Source& source, int64_t put, const std::string& body) {
    const TestJson reply = source.replies.at(put);
    EXPECT_TRUE(reply.contains("write")) << reply;
    EXPECT_EQ(::pwrite(source.file->get(), body.data(), body.size(), reply["write"].get<int64_t>()),
              static_cast<ssize_t>(body.size()));
    return source.replies.at(Ask(source, {{"written", put}}));
  }
  static std::string Error(const Source& source, int64_t id) {
    return source.replies.at(id)["error"]["message"].get<std::string>();
  }

  LocalSources sources;
};

TEST_F(LocalSourcesTest, SourceWritesTheBodyThatTheProgramReads) {
  StartAttempt(1);
  Process process = Open(1);
  Source source = Begin(5);
  const int64_t put = Announce(source, {0, 6}, 100);
  EXPECT_TRUE(am.Received<RowsReceived>().empty()) << "the block is not complete";
  EXPECT_EQ(sources.unanswered_bytes(), 100);
  const TestJson answer = Write(source, put, std::string(100, 'b'));
  EXPECT_EQ(answer["answer"], TestJson::parse(R"({"acknowledged": [0, 6], "credit": true})"));
  EXPECT_EQ(am.unix_sockets, std::vector<bool>{true});
  EXPECT_EQ(sources.unanswered_bytes(), 0);
  std::string read;
  feeds.OnRequest(1, Next(0, 6, 0), os::files::Fd(), [&read](const ReaderReply& reply) {
    const TestJson block = TestJson::parse(reply.front().text)["blocks"][0];
    read.resize(block["bytes"].get<size_t>());
    EXPECT_EQ(::pread(reply.front().files.front()->get(), read.data(), read.size(), block["offset"].get<int64_t>()),
              static_cast<ssize_t>(read.size()));
  });
  am.Handle(feeds);
  EXPECT_THAT(read, HasSubstr(TestMessage(TestHeader::kRecordBatch, 6, 100)));
  EXPECT_EQ(read.substr(read.size() - 100), std::string(100, 'b'));
}

TEST_F(LocalSourcesTest, SmallBlockTravelsInItsMessage) {
  StartAttempt(1);
  Source source = Begin(5);
  const int64_t put = Announce(source, {0, 2}, 8, "12345678");
  EXPECT_EQ(source.replies.at(put)["answer"]["acknowledged"], TestJson::parse("[0, 2]"));
  EXPECT_EQ(source.file, nullptr);
  EXPECT_EQ(sources.unanswered_bytes(), 0);
}

TEST_F(LocalSourcesTest, ExecutorComputesTheDigestOfTheBodyThatTheSourceHasWritten) {
  StartAttempt(1);
  Source source = Begin(5);
  const std::string body(100, 'b');
  const uint64_t expected = DigestOf(0, 6, CrcByTable(Crc::kCrc32, body));
  const int64_t put = Announce(source, {0, 6}, 100, "", 0, "body");
  EXPECT_EQ(Write(source, put, body)["answer"]["digest"], expected);
  const int64_t small = Announce(source, {6, 8}, 8, "12345678", 0, "body");
  const uint64_t second = DigestOf(6, 2, CrcByTable(Crc::kCrc32, "12345678"));
  EXPECT_EQ(source.replies.at(small)["answer"]["digest"], second);
  const int64_t own = Announce(source, {8, 10}, 8, "12345678", 0, 77);
  EXPECT_FALSE(source.replies.at(own)["answer"].contains("digest"));
  std::vector<std::optional<uint64_t>> digests;
  for (const RowsReceived& received : am.Received<RowsReceived>()) digests.push_back(received.digest);
  EXPECT_THAT(digests, testing::ElementsAre(expected, second, 77U));
}

TEST_F(LocalSourcesTest, DescriptorIsSentOnceAndOnlyForWriting) {
  StartAttempt(1);
  Source source = Begin(5);
  Write(source, Announce(source, {0, 2}, 100), std::string(100, 'a'));
  ASSERT_NE(source.file, nullptr);
  char byte = 0;
  EXPECT_EQ(::pread(source.file->get(), &byte, 1, 0), -1);
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, source.file->get(), 0), MAP_FAILED);
  EXPECT_EQ(::ftruncate(source.file->get(), 0), -1) << "a reader that has mapped the file would get a SIGBUS";
  const auto first = std::move(source.file);
  const int64_t put = Announce(source, {2, 4}, 100);
  EXPECT_EQ(source.file, nullptr);
  source.file = first;
  Write(source, put, std::string(100, 'a'));
}

TEST_F(LocalSourcesTest, PlacesOfASourceThatIsGoneAreUsedAgain) {
  StartAttempt(1);
  Source gone = Begin(5), other = Begin(6);
  const int64_t lost = Announce(gone, {0, 6}, 1000);
  const TestJson place = gone.replies.at(lost)["write"];
  sources.OnClosed(5);
  EXPECT_EQ(sources.unanswered_bytes(), 0);
  EXPECT_EQ(store().blocks(), 0U);
  const int64_t put = Announce(other, {0, 6}, 1000);
  EXPECT_EQ(other.replies.at(put)["write"], place);
  EXPECT_TRUE(Write(other, put, std::string(1000, 'x'))["answer"].contains("acknowledged"));
}

TEST_F(LocalSourcesTest, AnnouncedBlockMayArriveWhenNobodyTakesIt) {
  StartAttempt(1);
  Source source = Begin(5);
  const int64_t put = Announce(source, {0, 6}, 1000);
  const int64_t same = Announce(source, {0, 6}, 1000);
  EXPECT_TRUE(Write(source, put, std::string(1000, 'x'))["answer"].contains("acknowledged"));
  EXPECT_TRUE(Write(source, same, std::string(1000, 'x'))["answer"].contains("acknowledged"))
      << "the ledger has the rows";
  feeds.OnAttemptEnded();
  feeds.OnStart(StartOrder(2));
  const int64_t late = Announce(source, {6, 8}, 1000);
  EXPECT_EQ(source.replies.at(late)["answer"]["refused"], TestJson::parse("[6, 8]")) << "no reader has room yet";
}

TEST_F(LocalSourcesTest, BlocksWaitUntilEarlierOnesAreAnswered) {
  StartAttempt(1);
  Source source = Begin(5), other = Begin(6);
  std::vector<int64_t> puts;
  constexpr int64_t kBytes = int64_t{16} << 20;
  for (int64_t i = 0; i < 4; ++i) puts.push_back(Announce(source, {i, i + 1}, kBytes));
  EXPECT_EQ(sources.unanswered_bytes(), LocalSources::kUnansweredBytes);
  const int64_t waits = Announce(other, {9, 10}, kBytes), then = Announce(other, {10, 11}, 100);
  EXPECT_FALSE(other.replies.contains(waits));
  EXPECT_FALSE(other.replies.contains(then)) << "blocks keep their order";
  Write(source, puts[0], "x");
  EXPECT_TRUE(other.replies.contains(waits));
  EXPECT_FALSE(other.replies.contains(then));
  sources.OnClosed(5);
  EXPECT_TRUE(other.replies.contains(then));
}

TEST_F(LocalSourcesTest, LargeRowIsAdmittedAlone) {
  StartAttempt(1);
  Source source = Begin(5);
  EXPECT_TRUE(source.replies.at(Announce(source, {0, 1}, int64_t{200} << 20)).contains("write"));
  EXPECT_FALSE(source.replies.contains(Announce(source, {1, 2}, 100)));
}

TEST_F(LocalSourcesTest, ConnectionHasFewBlocksWithoutAnAnswer) {
  StartAttempt(1);
  Source source = Begin(5);
  for (size_t i = 0; i < LocalSources::kMostPuts; ++i) Announce(source, {0, 1}, 100);
  EXPECT_THAT(Error(source, Announce(source, {0, 1}, 100)), HasSubstr("too many blocks without an answer"));
}

TEST_F(LocalSourcesTest, TokenIsRequired) {
  Source early = Begin(4);
  EXPECT_EQ(early.replies.at(Announce(early, {0, 1}, 100))["error"]["kind"], "unavailable");
  StartAttempt(1);
  Source stranger = Begin(5, "wrong"), silent{6};
  for (Source* const source : {&stranger, &silent}) {
    EXPECT_THAT(Error(*source, Announce(*source, {0, 1}, 100)), HasSubstr("the token is not that of the feed 'train'"));
    EXPECT_THAT(Error(*source, Ask(*source, {{"action", "ask"}}, R"({"feed": "train"})")), HasSubstr("the token"));
  }
  Source source = Begin(7);
  EXPECT_THAT(Error(source, Ask(source, {{"action", "ask"}}, R"({"feed": "other"})")), HasSubstr("the feed 'other'"));
  EXPECT_EQ(store().blocks(), 0U);
}

TEST_F(LocalSourcesTest, WrongRequestsAreRefused) {
  StartAttempt(1);
  Source source = Begin(5);
  EXPECT_THAT(Error(source, Ask(source, {{"written", 1}})), HasSubstr("no block was announced with the id 1"));
  const int64_t put = Announce(source, {0, 1}, 100);
  Write(source, put, "x");
  EXPECT_THAT(Error(source, Ask(source, {{"written", put}})), HasSubstr("no block was announced"));
  EXPECT_THAT(Error(source, Ask(source, {{"action", "supply"}}, R"({"feed": "train"})")), HasSubstr("several results"));
  EXPECT_THAT(Error(source, Ask(source, {{"action", "dance"}}, R"({"feed": "train"})")), HasSubstr("dance"));
}

TEST_F(LocalSourcesTest, ActionsHaveTheResultsOfTheFlightServer) {
  StartAttempt(1);
  Source source = Begin(5);
  const int64_t ask = Ask(source, {{"action", "ask"}}, R"({"feed": "train", "pass": 0, "partition": 0})");
  const TestJson result = source.replies.at(ask)["result"];
  EXPECT_EQ(result["what"], "send");
  EXPECT_EQ(result["missing"], TestJson::parse("[[0, null]]"));
}

}  // namespace
}  // namespace howdah::feed::server
