#include "kdc.h"

#include <gtest/gtest.h>

#include "test_kdc.h"

namespace howdah::hadoop::kerberos {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

Waiting Wait(Duration per_kdc, int cancel_fd = -1) { return {Clock::now() + seconds(60), per_kdc, cancel_fd}; }

KdcList List(const std::vector<uint16_t>& ports) {
  KdcList list{{}, "krb5.conf"};
  for (const uint16_t port : ports) list.kdcs.push_back({"127.0.0.1", port});
  return list;
}

TEST(ParseKdc, AddressesOfMitAreAccepted) {
  EXPECT_EQ(*ParseKdc("kdc1"), (HostPort{"kdc1", 88}));
  EXPECT_EQ(*ParseKdc("kdc1:750"), (HostPort{"kdc1", 750}));
  EXPECT_EQ(*ParseKdc("tcp/kdc1"), (HostPort{"kdc1", 88}));
  EXPECT_EQ(*ParseKdc("::1"), (HostPort{"::1", 88}));
  EXPECT_EQ(*ParseKdc("[::1]:750"), (HostPort{"::1", 750}));
  EXPECT_EQ(*ParseKdc("[::1]"), (HostPort{"::1", 88}));
  for (const char* text : {"", ":88", "kdc:x", "kdc:0", "a b", "kdc/x"}) {
    ASSERT_FALSE(ParseKdc(text)) << text;
    EXPECT_EQ(ParseKdc(text).error().code, ErrorCode::kUsage);
  }
}

TEST(AskKdcs, AnswerOverTcpIsReturned) {
  TestKdc kdc([](const std::string& request) { return request + "!"; });
  const auto reply = AskKdcs("R", List({kdc.port()}), "hello", Wait(seconds(30)));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->bytes, "hello!");
  EXPECT_EQ(reply->address, "127.0.0.1:" + std::to_string(kdc.port()) + ", TCP");
}

TEST(AskKdcs, UdpIsUsedIfTcpIsRefused) {
  TestKdc kdc([](const std::string& request) { return request + "!"; }, TestKdc::Transport::kUdp);
  const auto reply = AskKdcs("R", List({kdc.port()}), "hello", Wait(seconds(30)));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->bytes, "hello!");
  EXPECT_NE(reply->address.find(", UDP"), std::string::npos);
}

TEST(AskKdcs, NextKdcIsAskedIfOneDoesNotAnswer) {
  TestKdc silent(nullptr), kdc([](const std::string&) { return std::string("yes"); });
  const auto reply = AskKdcs("R", List({silent.port(), kdc.port()}), "hello", Wait(milliseconds(100)));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->bytes, "yes");
}

TEST(AskKdcs, ErrorListsEveryAddress) {
  TestKdc silent(nullptr), refusing(nullptr, TestKdc::Transport::kNone);
  const auto reply = AskKdcs("R", List({silent.port(), refusing.port()}), "hello", Wait(milliseconds(100)));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  const std::vector<std::string> parts{"the realm R", "krb5.conf",
                                       std::to_string(silent.port()) + ", TCP: no answer after",
                                       std::to_string(refusing.port()) + ", TCP: Connection refused",
                                       std::to_string(refusing.port()) + ", UDP: Connection refused"};
  for (const std::string& part : parts) {
    EXPECT_NE(reply.error().message.find(part), std::string::npos) << part << " in " << reply.error().message;
  }
}

TEST(AskKdcs, OversizedAnswerIsRefused) {
  TestKdc kdc([](const std::string&) { return std::string("\x7f\xff\xff\xff", 4); }, TestKdc::Transport::kRawTcp);
  const auto reply = AskKdcs("R", List({kdc.port()}), "hello", Wait(seconds(30)));
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("not an answer of a KDC"), std::string::npos) << reply.error().message;
}

TEST(AskKdcs, CancelledRequestEnds) {
  TestKdc silent(nullptr);
  const int cancel = eventfd(1, 0);
  const auto reply = AskKdcs("R", List({silent.port()}), "hello", Wait(std::chrono::hours(1), cancel));
  close(cancel);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
}

TEST(FindKdcs, ErrorListsFilesAndRecords) {
  const auto found = FindKdcs("R.INVALID", "/etc/krb5.conf", false, Wait(seconds(1)));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("/etc/krb5.conf"), std::string::npos);
  EXPECT_NE(found.error().message.find("dns_lookup_kdc is false"), std::string::npos);
}

}  // namespace
}  // namespace howdah::hadoop::kerberos
