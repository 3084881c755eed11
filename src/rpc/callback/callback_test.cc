#include "howdah/rpc/callback/callback.h"

#include <gtest/gtest.h>

#include <boost/asio/write.hpp>

namespace howdah::rpc::callback {
namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

class CallbackTest : public testing::Test {
 protected:
  std::unique_ptr<CallbackListener> Listen() {
    auto listener =
        CallbackListener::Listen(loop_, "127.0.0.1", [this](const std::string& am) { called_.push_back(am); });
    EXPECT_TRUE(listener.ok());
    return std::move(*listener);
  }
  bool RunUntil(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < until) loop_.run_one_for(100ms);
    return condition();
  }
  static std::string AddressOf(const CallbackListener& listener) {
    return listener.address().substr(0, listener.address().find(' '));
  }
  // Sends a line to the listener and waits until the listener closes the connection.
  void SendLine(const CallbackListener& listener, const std::string& line) {
    const std::string address = AddressOf(listener);
    tcp::socket socket(loop_);
    const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    boost::asio::write(socket, boost::asio::buffer(line));
    bool over = false;
    char byte;
    socket.async_read_some(boost::asio::buffer(&byte, 1), [&](const auto& error, size_t) { over = bool(error); });
    EXPECT_TRUE(RunUntil([&] { return over; })) << line;
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

TEST_F(CallbackTest, CallWithWrongSecretIsIgnored) {
  const auto listener = Listen();
  const std::string contact = listener->address();
  std::string wrong = contact.substr(contact.find(' ') + 1);
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& line :
       {wrong + " 10.0.0.7:1\n", std::string(" 10.0.0.7:1\n"), std::string("\n"), std::string(100'000, 'x')}) {
    SendLine(*listener, line);
  }
  EXPECT_TRUE(called_.empty());
  SendLine(*listener, contact.substr(contact.find(' ') + 1) + " 10.0.0.7:1\n");
  EXPECT_EQ(called_, std::vector<std::string>{"10.0.0.7:1"}) << "a call with the right secret still works";
}

TEST_F(CallbackTest, InvalidAddressIsNotCalled) {
  CallbackClient caller(loop_);
  for (const char* contact : {"", "nonsense", "localhost:1 secret", "127.0.0.1:99999 secret", "127.0.0.1 secret"}) {
    caller.Call({"c1"}, contact, "10.0.0.7:40123");
  }
  EXPECT_EQ(loop_.poll(), 0u);
}

TEST_F(CallbackTest, SecretsDiffer) {
  const auto secret = [](const std::string& contact) { return contact.substr(contact.find(' ') + 1); };
  EXPECT_NE(secret(Listen()->address()), secret(Listen()->address()));
}

}  // namespace
}  // namespace howdah::rpc::callback
