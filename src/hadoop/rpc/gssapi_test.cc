#include "gssapi.h"

#include <gtest/gtest.h>

#include "connection.h"
#include "howdah/hadoop/messages/rpc.pb.h"
#include "negotiation.h"

namespace howdah::hadoop::rpc {
namespace {

using ::hadoop::common::RpcSaslProto;
using principals::Protection;

// A context whose tokens are readable: "first", then "reply" completes it. A wrapped message is "c" (confidential) or
// "i", and the bytes. The tests in tests/yarn use MIT's library.
class FakeContext final : public kerberos::SecurityContext {
 public:
  const std::string& first_token() const override { return first_; }
  Result<std::string> Step(std::string_view token) override {
    if (token != "reply") return Failed("the server is an impostor");
    complete_ = true;
    return std::string();
  }
  bool complete() const override { return complete_; }
  Result<std::string> Wrap(std::string_view bytes, bool confidential) override {
    return (confidential ? "c" : "i") + std::string(bytes);
  }
  Result<Unwrapped> Unwrap(std::string_view token) override {
    if (token.empty()) return Failed("the message was changed");
    return Unwrapped{std::string(token.substr(1)), token[0] == 'c'};
  }
  Result<size_t> WrapLimit(size_t max_token, bool confidential) const override {
    return max_token - (confidential ? 60 : 28);
  }

 private:
  std::string first_ = "first";
  bool complete_ = false;
};

std::string Offer(int layers, uint32_t most = 65536) {
  std::string offer = "i";
  offer += static_cast<char>(layers);
  for (const int shift : {16, 8, 0}) offer += static_cast<char>(most >> shift);
  return offer;
}

std::unique_ptr<Gssapi> Complete(Protection weakest) {
  auto mechanism = std::make_unique<Gssapi>(std::make_unique<FakeContext>(), weakest, "hadoop.rpc.protection in x.xml");
  EXPECT_EQ(*mechanism->Start(std::nullopt), "first");
  EXPECT_EQ(*mechanism->Step("reply"), "");
  return mechanism;
}

TEST(Gssapi, StrongestOfferedProtectionIsUsed) {
  struct Row {
    int offer, chosen;
    size_t wrap_size;
    std::string wrapped;
  };
  for (const Row& row : {Row{7, 4, 65536 - 60, "cx"},
                         {3, 2, 65536 - 28, "ix"},
                         {1, 1, 0, ""},
                         {5, 4, 65536 - 60, "cx"},
                         {0xf8 | 2, 2, 65536 - 28, "ix"}}) {
    const auto mechanism = Complete(Protection::kAuthentication);
    const auto choice = mechanism->Step(Offer(row.offer));
    ASSERT_TRUE(choice) << choice.error().message;
    EXPECT_EQ(*choice, Offer(row.chosen, row.chosen == 1 ? 0 : 65536)) << row.offer;
    EXPECT_TRUE(mechanism->Finish(std::nullopt));
    EXPECT_EQ(mechanism->wrap_size(), row.wrap_size);
    if (row.wrap_size == 0) continue;
    EXPECT_EQ(*mechanism->Wrap("x"), row.wrapped);
    EXPECT_EQ(*mechanism->Unwrap(row.wrapped), "x");
  }
}

TEST(Gssapi, WeakerProtectionIsRefused) {
  for (const auto& [offer, weakest] :
       {std::pair{1, Protection::kIntegrity}, {3, Protection::kPrivacy}, {0, Protection::kAuthentication}}) {
    const auto choice = Complete(weakest)->Step(Offer(offer));
    ASSERT_FALSE(choice) << offer;
    for (const std::string& part :
         {principals::OffersText(offer), principals::ToText(weakest), std::string("hadoop.rpc.protection in x.xml")}) {
      EXPECT_NE(choice.error().message.find(part), std::string::npos) << choice.error().message;
    }
  }
}

TEST(Gssapi, ServerMustProveItsIdentity) {
  Gssapi mechanism(std::make_unique<FakeContext>(), Protection::kAuthentication, "");
  EXPECT_FALSE(mechanism.Step("wrong"));
  EXPECT_FALSE(mechanism.Finish(std::nullopt));
  EXPECT_FALSE(Complete(Protection::kAuthentication)->Finish(std::nullopt));
}

TEST(Gssapi, UnreadableOffersAndUnencryptedMessagesAreRefused) {
  for (const std::string offer : {"", "i", "iabc", "iabcde"}) {
    EXPECT_FALSE(Complete(Protection::kAuthentication)->Step(offer)) << offer;
  }
  const auto mechanism = Complete(Protection::kAuthentication);
  ASSERT_TRUE(mechanism->Step(Offer(4)));
  EXPECT_FALSE(mechanism->Unwrap("ix"));
  EXPECT_FALSE(mechanism->Step("again"));
  EXPECT_FALSE(mechanism->Finish("token"));
}

// --- negotiation ---

RpcSaslProto Offered(const std::vector<std::pair<std::string, std::string>>& entries) {
  RpcSaslProto message;
  message.set_state(RpcSaslProto::NEGOTIATE);
  for (const auto& [method, mechanism] : entries) {
    auto* entry = message.add_auths();
    entry->set_method(method);
    entry->set_mechanism(mechanism);
    entry->set_protocol("rm");
    entry->set_serverid("host");
  }
  return message;
}

Acceptance OnlyKerberos() {
  return {false, "hadoop.security.authentication is kerberos", Acceptance::Kerberos{Protection::kIntegrity, "key"}};
}

TEST(Negotiation, KerberosNeedsAContextForTheAdvertisedServer) {
  Negotiation negotiation({}, OnlyKerberos());
  const auto reply = negotiation.Receive(Offered({{"TOKEN", "DIGEST-MD5"}, {"KERBEROS", "GSSAPI"}}));
  ASSERT_TRUE(reply);
  EXPECT_FALSE(*reply);
  ASSERT_EQ(negotiation.state(), Negotiation::State::kNeedsContext);
  EXPECT_EQ(negotiation.server().service + "/" + negotiation.server().host, "rm/host");
  const auto initiate = negotiation.UseContext(std::make_unique<FakeContext>());
  ASSERT_TRUE(initiate);
  EXPECT_EQ(initiate->token(), "first");
  ASSERT_EQ(initiate->auths_size(), 1);
  EXPECT_EQ(initiate->auths(0).method(), "KERBEROS");
  EXPECT_EQ(negotiation.state(), Negotiation::State::kGoingOn);
}

TEST(Negotiation, ServerWithoutAuthenticationIsRefusedWithTheKey) {
  for (const auto& offer : {Offered({{"SIMPLE", ""}}), Offered({{"TOKEN", "DIGEST-MD5"}, {"SIMPLE", ""}}), [] {
                              RpcSaslProto success;
                              success.set_state(RpcSaslProto::SUCCESS);
                              return success;
                            }()}) {
    Negotiation negotiation({}, OnlyKerberos());
    const auto reply = negotiation.Receive(offer);
    ASSERT_FALSE(reply);
    EXPECT_NE(reply.error().message.find("hadoop.security.authentication is kerberos"), std::string::npos)
        << reply.error().message;
  }
}

TEST(Connection, FailedTicketRequestFailsTheConnection) {
  ConnectionOptions options{"some.Protocol", "", "", std::string(16, 'c'), {}};
  options.kerberos = KerberosLogin{};
  Connection connection(options);
  EXPECT_FALSE(connection.TakeContextRequest());
  EXPECT_TRUE(connection.TakeOutput().starts_with(std::string("hrpc\x09\0\xdf", 7)));
  ::hadoop::common::RpcResponseHeaderProto header;
  header.set_callid(static_cast<uint32_t>(-33));
  header.set_status(::hadoop::common::RpcResponseHeaderProto::SUCCESS);
  std::string body;
  AppendDelimited(body, header);
  AppendDelimited(body, Offered({{"KERBEROS", "GSSAPI"}}));
  connection.Receive(Frame(body));
  const auto server = connection.TakeContextRequest();
  ASSERT_TRUE(server);
  EXPECT_EQ(server->server.host, "host");
  EXPECT_FALSE(connection.TakeContextRequest()) << "the request is returned once";
  connection.UseContext(Error{ErrorCode::kUnavailable, "no ticket"});
  ASSERT_TRUE(connection.failure());
  EXPECT_EQ(connection.failure()->kind, FailureKind::kLogin);
  EXPECT_EQ(connection.failure()->error.message, "no ticket");
}

}  // namespace
}  // namespace howdah::hadoop::rpc
