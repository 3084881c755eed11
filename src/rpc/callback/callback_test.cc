#include "howdah/rpc/callback/callback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "protocol.h"

namespace howdah::rpc::callback {
namespace {

using boost::asio::ip::tcp;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr CallbackListener::Limits kNoTimeLimits{.first_byte = 1h, .line = 1h};

class CallbackTest : public testing::Test {
 protected:
  std::unique_ptr<CallbackListener> Listen(const CallbackListener::Limits& limits = kNoTimeLimits) {
    auto listener = CallbackListener::Listen(
        loop_, "127.0.0.1", [this](const std::string& am) { called_.push_back(am); }, limits);
    EXPECT_TRUE(listener.ok());
    return std::move(*listener);
  }
  bool RunUntil(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < until) loop_.run_one_for(100ms);
    return condition();
  }
  static std::string SecretOf(const CallbackListener& listener) {
    return listener.address().substr(listener.address().find(' ') + 1);
  }

  // A connection to the listener that has received the listener's nonce.
  struct Peer {
    explicit Peer(boost::asio::io_context& loop) : socket(loop) {}
    tcp::socket socket;
    std::string challenge, nonce;
    bool closed = false;
    char byte = 0;
  };
  std::shared_ptr<Peer> Connect(const CallbackListener& listener) {
    const std::string address = listener.address().substr(0, listener.address().find(' '));
    auto peer = std::make_shared<Peer>(loop_);
    const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    peer->socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    boost::asio::async_read_until(peer->socket, boost::asio::dynamic_buffer(peer->challenge), '\n',
                                  [this, peer](const auto& error, size_t size) {
                                    if (error) {
                                      peer->closed = true;
                                      return;
                                    }
                                    peer->nonce = ParseChallenge(peer->challenge.substr(0, size - 1)).value_or("");
                                    AwaitClose(peer);
                                  });
    EXPECT_TRUE(RunUntil([&] { return !peer->nonce.empty() || peer->closed; }));
    return peer;
  }
  void AwaitClose(const std::shared_ptr<Peer>& peer) {
    peer->socket.async_read_some(boost::asio::buffer(&peer->byte, 1),
                                 [peer](const auto& error, size_t) { peer->closed = bool(error); });
  }
  // Sends a line and waits until the listener closes the connection.
  void Send(const std::shared_ptr<Peer>& peer, const std::string& line) {
    boost::system::error_code ignored;
    boost::asio::write(peer->socket, boost::asio::buffer(line), ignored);
    EXPECT_TRUE(RunUntil([&] { return peer->closed; })) << line;
  }

  boost::asio::io_context loop_;
  std::vector<std::string> called_;
};

TEST_F(CallbackTest, ExecutorReceivesAmAddress) {
  const auto listener = Listen();
  CallbackClient caller(loop_);
  caller.Call({"c1"}, listener->address(), "10.0.0.7:40123");
  ASSERT_TRUE(RunUntil([&] { return called_.size() == 1; }));
  EXPECT_EQ(called_.front(), "10.0.0.7:40123");
  ASSERT_TRUE(RunUntil([&] { return called_.size() == 2; })) << "called again until it has connected";
  caller.Stop({"c1"});
  loop_.run_for(50ms);
  called_.clear();
  loop_.run_for(1s);
  EXPECT_TRUE(called_.empty());
}

TEST_F(CallbackTest, UnreachableExecutorIsCalledAgain) {
  tcp::acceptor reserved(loop_, {boost::asio::ip::make_address("127.0.0.1"), 0});
  const uint16_t port = reserved.local_endpoint().port();
  reserved.close();
  CallbackClient caller(loop_);
  caller.Call({"c1"}, "127.0.0.1:" + std::to_string(port) + " secret", "10.0.0.7:40123");
  loop_.run_for(100ms);
  tcp::acceptor acceptor(loop_, {boost::asio::ip::make_address("127.0.0.1"), port});
  bool accepted = false;
  acceptor.async_accept([&](const auto& error, tcp::socket) { accepted = !error; });
  EXPECT_TRUE(RunUntil([&] { return accepted; }));
}

// Another program may have taken the executor's port in the meantime.
TEST_F(CallbackTest, CallerSendsNothingToAnotherProtocol) {
  tcp::acceptor acceptor(loop_, {boost::asio::ip::make_address("127.0.0.1"), 0});
  CallbackClient caller(loop_);
  caller.Call({"c1"}, "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + " secret", "10.0.0.7:40123");
  tcp::socket peer(loop_);
  bool accepted = false;
  acceptor.async_accept(peer, [&](const auto& error) { accepted = !error; });
  ASSERT_TRUE(RunUntil([&] { return accepted; }));
  boost::asio::write(peer, boost::asio::buffer(std::string("SSH-2.0-OpenSSH_9.2\r\n")));
  std::string received;
  bool closed = false;
  boost::asio::async_read(peer, boost::asio::dynamic_buffer(received), [&](const auto&, size_t) { closed = true; });
  EXPECT_TRUE(RunUntil([&] { return closed; }));
  EXPECT_EQ(received, "");
}

TEST_F(CallbackTest, AmConnectsDespiteSixtySilentConnections) {
  const auto listener = Listen();
  std::vector<std::shared_ptr<Peer>> strangers;
  for (int i = 0; i < 60; ++i) strangers.push_back(Connect(*listener));
  CallbackClient caller(loop_);
  caller.Call({"c1"}, listener->address(), "10.0.0.7:40123");
  ASSERT_TRUE(RunUntil([&] { return !called_.empty(); })) << "without any time limit, the AM was served first";
  ASSERT_TRUE(RunUntil([&] { return strangers[28]->closed; }));
  std::vector<int> open;
  for (int i = 0; i < 60; ++i) {
    if (!strangers[static_cast<size_t>(i)]->closed) open.push_back(i);
  }
  EXPECT_EQ(open.size(), 31u);
  EXPECT_EQ(open.front(), 29) << "the oldest connections were closed";
}

TEST_F(CallbackTest, SilentConnectionIsClosed) {
  const auto listener = Listen({.first_byte = 1ms, .line = 1h});
  const auto peer = Connect(*listener);
  EXPECT_TRUE(RunUntil([&] { return peer->closed; }));
}

TEST_F(CallbackTest, IncompleteLineIsClosed) {
  const auto listener = Listen({.first_byte = 1h, .line = 1h + 1ms});
  const auto peer = Connect(*listener);
  boost::asio::write(peer->socket, boost::asio::buffer(std::string("howdah")));
  EXPECT_TRUE(RunUntil([&] { return peer->closed; }));
  EXPECT_THAT(called_, IsEmpty());
}

TEST_F(CallbackTest, CallWithWrongSecretIsIgnored) {
  const auto listener = Listen();
  std::string wrong = SecretOf(*listener);
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  {
    const auto peer = Connect(*listener);
    Send(peer, CallLine(wrong, peer->nonce, "10.0.0.7:1"));
  }
  for (const std::string& line : {SecretOf(*listener) + " 10.0.0.7:1\n", std::string("howdah-callback 1 10.0.0.7:1 \n"),
                                  std::string("howdah-callback 1  \n"), std::string("\n"), std::string(100'000, 'x')}) {
    Send(Connect(*listener), line);
  }
  EXPECT_THAT(called_, IsEmpty());
  const auto peer = Connect(*listener);
  Send(peer, CallLine(SecretOf(*listener), peer->nonce, "10.0.0.7:1"));
  EXPECT_THAT(called_, ElementsAre("10.0.0.7:1")) << "a call with the right secret still works";
}

TEST_F(CallbackTest, ReplayedLineIsIgnored) {
  const auto listener = Listen();
  const auto am = Connect(*listener);
  const std::string line = CallLine(SecretOf(*listener), am->nonce, "10.0.0.7:1");
  EXPECT_EQ(line.find(SecretOf(*listener)), std::string::npos) << "the secret is not sent";
  Send(am, line);
  ASSERT_THAT(called_, ElementsAre("10.0.0.7:1"));
  Send(Connect(*listener), line);
  EXPECT_EQ(called_.size(), 1u);
}

TEST_F(CallbackTest, ListenerMayBeDestroyedByItsHandler) {
  std::unique_ptr<CallbackListener> listener;
  auto made = CallbackListener::Listen(
      loop_, "127.0.0.1",
      [&](const std::string& am) {
        called_.push_back(am);
        listener.reset();
      },
      kNoTimeLimits);
  ASSERT_TRUE(made.ok());
  listener = std::move(*made);
  const auto stranger = Connect(*listener);
  CallbackClient caller(loop_);
  caller.Call({"c1"}, listener->address(), "10.0.0.7:1");
  EXPECT_TRUE(RunUntil([&] { return stranger->closed; }));
  EXPECT_THAT(called_, ElementsAre("10.0.0.7:1"));
}

TEST_F(CallbackTest, InvalidAddressIsNotCalled) {
  CallbackClient caller(loop_);
  for (const char* contact : {"", "nonsense", "localhost:1 secret", "127.0.0.1:99999 secret", "127.0.0.1 secret"}) {
    caller.Call({"c1"}, contact, "10.0.0.7:40123");
  }
  EXPECT_EQ(loop_.poll(), 0u);
}

TEST_F(CallbackTest, SecretsAndNoncesDiffer) {
  const auto one = Listen(), other = Listen();
  EXPECT_NE(SecretOf(*one), SecretOf(*other));
  EXPECT_NE(Connect(*one)->nonce, Connect(*one)->nonce);
}

// Version 1 on the wire. The code was computed with `openssl dgst -sha256 -hmac`.
TEST(CallbackProtocol, LinesHaveTheFormatOfVersion1) {
  const std::string secret = "000102030405060708090a0b0c0d0e0f", nonce = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
  EXPECT_EQ(ChallengeLine(nonce), "howdah-callback 1 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff\n");
  const std::string line =
      "howdah-callback 1 10.0.0.7:40123 80ea038a207bb4a51bcd30e64f89ffa209af5029c3a78210899bdae748eb5b9d";
  EXPECT_EQ(CallLine(secret, nonce, "10.0.0.7:40123"), line + "\n");
  EXPECT_EQ(ParseCall(secret, nonce, line), "10.0.0.7:40123");
}

TEST(CallbackProtocol, InvalidLineIsRefused) {
  const std::string nonce = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
  EXPECT_EQ(ParseChallenge("howdah-callback 1 " + nonce), nonce);
  for (const std::string& line : {std::string(), std::string("howdah-callback 1 "), "howdah-callback 2 " + nonce,
                                  "howdah-callback 1 " + nonce + "0", "howdah-callback 1 " + nonce.substr(1),
                                  "howdah-callback 1 G" + nonce.substr(1)}) {
    EXPECT_EQ(ParseChallenge(line), std::nullopt) << line;
  }
  std::string line = CallLine("secret", nonce, "10.0.0.7:1");
  line.pop_back();
  EXPECT_EQ(ParseCall("secret", nonce, line), "10.0.0.7:1");
  for (size_t i = 0; i < line.size(); ++i) {
    std::string changed = line;
    changed[i] ^= 1;
    EXPECT_EQ(ParseCall("secret", nonce, changed), std::nullopt) << changed;
    EXPECT_EQ(ParseCall("secret", nonce, line.substr(0, i)), std::nullopt) << line.substr(0, i);
  }
  EXPECT_EQ(ParseCall("secret", nonce, line + "0"), std::nullopt);
}

}  // namespace
}  // namespace howdah::rpc::callback
