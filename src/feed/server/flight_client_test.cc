#include "flight_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/temporary_directory.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;

const GetTarget kRows{"train", 1, 3, {0, 30}};

class FlightClientTest : public testing::Test {
 protected:
  void SetUp() override {
    auto started = FlightServer::Start(path(), "127.0.0.1", identities_.executor, loop_.post(), hub_.handlers());
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  std::string path() const { return directory_.path() + "/flight"; }
  FlightAddress OverUnix() const { return {path(), "127.0.0.1", server_->port()}; }
  FlightAddress OverTls() const { return {"/no/such/socket", "127.0.0.1", server_->port()}; }
  void Get(const FlightAddress& address, const std::string& token = kTestToken) {
    result_.reset();
    schema_.clear();
    blocks_.clear();
    client_->Get(
        address, token, kRows,
        [this](const std::string& schema, ArrowBlock block) {
          schema_ = schema;
          blocks_.push_back(std::move(block));
        },
        [this](const Status& result) { result_ = result; });
  }
  bool Done() {
    return loop_.RunUntil([&] { return result_.has_value(); });
  }

  TestLoop loop_;
  TestHub hub_;
  os::files::TemporaryDirectory directory_ = *os::files::TemporaryDirectory::Make("flight");
  const rpc::JobIdentities identities_ = *rpc::MakeJobIdentities("test");
  std::unique_ptr<FlightServer> server_;
  std::unique_ptr<FlightClient> client_ = std::make_unique<FlightClient>(identities_.executor, loop_.post());
  std::string schema_;
  std::vector<ArrowBlock> blocks_;
  std::optional<Status> result_;
};

TEST_F(FlightClientTest, BlocksArriveInOrder) {
  for (const FlightAddress& address : {OverUnix(), OverTls()}) {
    hub_.gets.clear();
    Get(address);
    ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
    EXPECT_EQ(hub_.gets[0].target, kRows);
    const std::string body(8 << 20, 'b');
    hub_.gets[0].call.send(TestSchema(), {TestBlock(0, 10, body)});
    hub_.gets[0].call.send(TestSchema(), {TestBlock(10, 10, ""), TestBlock(20, 20, body)});
    hub_.gets[0].call.finish({});
    ASSERT_TRUE(Done());
    ASSERT_TRUE(result_->ok()) << result_->error().message;
    EXPECT_EQ(schema_, TestSchema());
    ASSERT_EQ(blocks_.size(), 3u);
    EXPECT_TRUE(blocks_[0].body == body && blocks_[2].body == body);
    EXPECT_EQ(blocks_[1].body, "");
    EXPECT_EQ(blocks_[2].header, TestBlock(20, 20, body).header);
    EXPECT_EQ(blocks_[2].first_row, 20);
    EXPECT_EQ(blocks_[2].rows, 20);
  }
}

TEST_F(FlightClientTest, NextBlockIsReceivedWhenTheOwnerHasTakenTheOneBefore) {
  std::atomic<int> posted = 0;
  FlightClient client(identities_.executor, [&](std::function<void()> closure) {
    ++posted;
    loop_.post()(std::move(closure));
  });
  int taken = 0;
  client.Get(
      OverUnix(), kTestToken, kRows, [&](const std::string&, const ArrowBlock&) { EXPECT_EQ(posted, ++taken); },
      [this](const Status& result) { result_ = result; });
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
  for (int i = 0; i < 20; ++i) hub_.gets[0].call.send(TestSchema(), {TestBlock(i, 1, "")});
  hub_.gets[0].call.finish({});
  ASSERT_TRUE(Done());
  EXPECT_EQ(taken, 20);
}

TEST_F(FlightClientTest, NoBlocksAreAResult) {
  Get(OverUnix());
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
  hub_.gets[0].call.finish({});
  ASSERT_TRUE(Done());
  ASSERT_TRUE(result_->ok());
  EXPECT_TRUE(schema_.empty() && blocks_.empty());
}

TEST_F(FlightClientTest, ErrorsNameFeedAndAddress) {
  const std::string unix_prefix = "getting rows of the feed 'train' from the executor at unix:" + path() + ": ";
  Get(OverUnix(), "wrong");
  ASSERT_TRUE(Done());
  EXPECT_THAT(result_->error().message, HasSubstr(unix_prefix + "the token is not that of a feed of this job"));

  Get(OverUnix());
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
  hub_.gets[0].call.finish(Error{ErrorCode::kNotFound, "the rows are not here"});
  ASSERT_TRUE(Done());
  EXPECT_EQ(result_->error().message, unix_prefix + "the rows are not here");

  Get(OverUnix());
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 2; }));
  ArrowBlock damaged = TestBlock(0, 1, "12345678");
  damaged.body = std::string("1234567");
  hub_.gets[1].call.send(TestSchema(), {damaged});
  ASSERT_TRUE(Done());
  EXPECT_THAT(result_->error().message, HasSubstr(unix_prefix + "the block is refused: it has 7 bytes"));

  const FlightAddress tls = OverTls();
  server_.reset();
  Get(tls);
  ASSERT_TRUE(Done());
  EXPECT_EQ(result_->error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(result_->error().message, HasSubstr("at ipv4:127.0.0.1:" + std::to_string(tls.port)));
  EXPECT_THAT(result_->error().message, HasSubstr("Connection refused"));
}

TEST_F(FlightClientTest, ServerOfOtherJobIsNotTrusted) {
  client_ = std::make_unique<FlightClient>(rpc::MakeJobIdentities("other")->executor, loop_.post());
  Get(OverTls());
  ASSERT_TRUE(Done());
  EXPECT_EQ(result_->error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(hub_.gets.empty());
}

TEST_F(FlightClientTest, SilenceIsAnError) {
  client_ = std::make_unique<FlightClient>(identities_.executor, loop_.post(), std::chrono::milliseconds(50));
  Get(OverUnix());
  ASSERT_TRUE(Done());
  EXPECT_EQ(result_->error().code, ErrorCode::kTimeout);
  EXPECT_THAT(result_->error().message, HasSubstr("unix:" + path() + ": no data for 50ms"));

  // A socket that accepts no connection.
  const std::string silent = directory_.path() + "/silent";
  const os::files::Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  silent.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  Get({silent, "", 0});
  ASSERT_TRUE(Done());
  EXPECT_THAT(result_->error().message, HasSubstr("unix:" + silent + ": no data for 50ms"));
}

TEST_F(FlightClientTest, DestroyedClientCancelsItsCalls) {
  Get(OverUnix());
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
  client_.reset();
  hub_.gets[0].call.send(TestSchema(), {TestBlock(0, 1, "")});
  hub_.gets[0].call.finish({});
  server_.reset();
  EXPECT_FALSE(result_.has_value());
}

TEST_F(FlightClientTest, HandlerMayDestroyTheClient) {
  bool done = false;
  client_->Get(
      OverUnix(), "wrong", kRows, [](const std::string&, const ArrowBlock&) {},
      [&](const Status&) {
        client_.reset();
        done = true;
      });
  EXPECT_TRUE(loop_.RunUntil([&] { return done; }));
}

TEST_F(FlightClientTest, SeveralGetsRunAtTheSameTime) {
  constexpr size_t kGets = 8;
  size_t blocks = 0, done = 0;
  for (size_t i = 0; i < kGets; ++i) {
    client_->Get(
        OverUnix(), kTestToken, kRows, [&](const std::string&, const ArrowBlock&) { ++blocks; },
        [&](const Status& result) { done += result.ok() ? 1 : 0; });
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == kGets; }));
  for (const TestHub::Get& get : hub_.gets) {
    get.call.send(TestSchema(), {TestBlock(0, 1, "12345678")});
    get.call.finish({});
  }
  EXPECT_TRUE(loop_.RunUntil([&] { return done == kGets; }));
  EXPECT_EQ(blocks, kGets);
}

}  // namespace
}  // namespace howdah::feed::server
