#include "flight_server.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "block_digest.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/wire/flight.grpc.pb.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCommand[] = R"({"feed":"train","pass":0,"partition":3})";
constexpr char kTicket[] = R"({"feed":"train","pass":0,"partition":3,"from":0,"to":10})";

flight::FlightData First(const std::string& command = kCommand) {
  flight::FlightData message;
  message.mutable_flight_descriptor()->set_type(flight::FlightDescriptor::CMD);
  message.mutable_flight_descriptor()->set_cmd(command);
  message.set_data_header(TestSchema());
  return message;
}

flight::FlightData Data(const ArrowBlock& block) {
  flight::FlightData message;
  message.set_data_header(block.header);
  message.set_data_body(block.body.Text());
  message.set_app_metadata(R"({"from":)" + std::to_string(block.first_row) + "}");
  return message;
}

// The parameter: whether the client uses TLS.
class FlightServerTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto started =
        FlightServer::Start(path(), GetParam() ? "127.0.0.1" : "", identities_.executor, loop_.post(), hub_.handlers());
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = identities_.executor.ca_certificate;
    grpc::ChannelArguments arguments;
    if (GetParam()) arguments.SetSslTargetNameOverride(std::string(rpc::kExecutorName));
    stub_ = flight::FlightService::NewStub(grpc::CreateCustomChannel(
        GetParam() ? "ipv4:127.0.0.1:" + std::to_string(server_->port()) : "unix:" + path(),
        GetParam() ? grpc::SslCredentials(options) : grpc::InsecureChannelCredentials(), arguments));
  }

  std::string path() const { return directory_.path() + "/flight"; }

  using Context = TestCallContext;
  // Sends messages in one DoPut call. Returns the answers, after which `status` is set.
  std::vector<std::string> Put(const std::vector<flight::FlightData>& messages, grpc::Status& status,
                               const std::string& token = kTestToken) {
    Context context(token);
    const auto stream = stub_->DoPut(&context);
    for (const flight::FlightData& message : messages) {
      if (!stream->Write(message)) break;
    }
    stream->WritesDone();
    std::vector<std::string> answers;
    for (flight::PutResult result; stream->Read(&result);) answers.push_back(result.app_metadata());
    status = stream->Finish();
    return answers;
  }
  // Returns the results of one action.
  std::vector<std::string> Act(const std::string& type, const std::string& body, grpc::Status& status,
                               const std::string& token = kTestToken) {
    Context context(token);
    flight::Action action;
    action.set_type(type);
    action.set_body(body);
    const auto stream = stub_->DoAction(&context, action);
    std::vector<std::string> results;
    for (flight::Result result; stream->Read(&result);) results.push_back(result.body());
    status = stream->Finish();
    return results;
  }
  // Answers each block when it arrives.
  void AnswerAll(Result<PutAnswer> answer) {
    hub_.on_block = [this, answer = std::move(answer)] { hub_.blocks.back().answer(answer); };
  }

  TestLoop loop_;
  TestHub hub_;
  os::files::TemporaryDirectory directory_ = *os::files::TemporaryDirectory::Make("flight");
  const rpc::JobIdentities identities_ = *rpc::MakeJobIdentities("test");
  std::unique_ptr<FlightServer> server_;
  std::unique_ptr<flight::FlightService::Stub> stub_;
  grpc::Status status_;
};

INSTANTIATE_TEST_SUITE_P(Transports, FlightServerTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "UnixSocket"; });

TEST_P(FlightServerTest, BlocksArriveInOrderAndEachIsAnswered) {
  AnswerAll(PutAnswer::kAcknowledged);
  std::vector<flight::FlightData> messages = {First()};
  const std::string body(1 << 20, 'b');
  for (int i = 0; i < 20; ++i) messages.push_back(Data(TestBlock(i * 10, 10, body)));
  std::vector<std::string> answers;
  ASSERT_TRUE(loop_.Run([&] { answers = Put(messages, status_); }));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  ASSERT_EQ(hub_.blocks.size(), 20u);
  ASSERT_EQ(answers.size(), 20u);
  for (size_t i = 0; i < 20; ++i) {
    const TestHub::Block& block = hub_.blocks[i];
    EXPECT_EQ(block.target, (PutTarget{"train", 0, 3}));
    EXPECT_EQ(block.schema, TestSchema());
    EXPECT_EQ(block.block.first_row, static_cast<int64_t>(i) * 10);
    EXPECT_EQ(block.block.rows, 10);
    EXPECT_TRUE(block.block.body == body);
    EXPECT_EQ(block.block.unix_socket, !GetParam());
  }
  EXPECT_EQ(answers[1], R"({"acknowledged":[10,20],"credit":true})");
}

TEST_P(FlightServerTest, DigestOfTheBodyIsComputedHere) {
  AnswerAll(PutAnswer::kAcknowledged);
  const std::string body(1 << 20, 'b');
  flight::FlightData block = Data(TestBlock(7, 10, body));
  block.set_app_metadata(R"({"from":7,"digest":"body"})");
  std::vector<std::string> answers;
  ASSERT_TRUE(loop_.Run([&] { answers = Put({First(), block}, status_); }));
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  ASSERT_EQ(hub_.blocks.size(), 1u);
  const uint64_t expected = DigestOf(7, 10, CrcOfBody(body));
  EXPECT_EQ(hub_.blocks[0].block.digest, expected);
  EXPECT_THAT(answers,
              ElementsAre(R"({"acknowledged":[7,17],"credit":true,"digest":)" + std::to_string(expected) + "}"));
}

TEST_P(FlightServerTest, NextBlockIsReadAfterTheAnswer) {
  std::vector<flight::FlightData> messages = {First()};
  for (int i = 0; i < 3; ++i) messages.push_back(Data(TestBlock(i, 1, "12345678")));
  auto put = std::async(std::launch::async, [&] { return Put(messages, status_); });
  for (size_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(loop_.RunUntil([&] { return hub_.blocks.size() == i; }));
    // Another call makes a full round trip, while the client has written all blocks.
    grpc::Status ignored;
    ASSERT_TRUE(loop_.Run([&] { Act("ask", "[]", ignored); }));
    ASSERT_EQ(hub_.blocks.size(), i);
    hub_.blocks.back().answer(i == 3 ? PutAnswer::kAcknowledgedNoCredit : PutAnswer::kRefused);
  }
  std::vector<std::string> answers;
  ASSERT_TRUE(loop_.Run([&] { answers = put.get(); }));
  EXPECT_TRUE(status_.ok());
  EXPECT_THAT(answers,
              ElementsAre(R"({"refused":[0,1]})", R"({"refused":[1,2]})", R"({"acknowledged":[2,3],"credit":false})"));
}

TEST_P(FlightServerTest, FailedAnswerEndsTheCall) {
  struct Case {
    ErrorCode code;
    StatusCode status;
  };
  for (const Case& c :
       {Case{ErrorCode::kFailed, StatusCode::INTERNAL}, Case{ErrorCode::kUsage, StatusCode::INVALID_ARGUMENT},
        Case{ErrorCode::kUnavailable, StatusCode::UNAVAILABLE},
        Case{ErrorCode::kNoSpace, StatusCode::RESOURCE_EXHAUSTED}}) {
    AnswerAll(Error{c.code, "the pass is over"});
    std::vector<std::string> answers;
    ASSERT_TRUE(loop_.Run([&] {
      answers = Put({First(), Data(TestBlock(0, 1, "")), Data(TestBlock(1, 1, ""))}, status_);
    }));
    EXPECT_THAT(answers, ElementsAre(R"({"failed":"the pass is over"})"));
    EXPECT_EQ(status_.error_code(), c.status);
    EXPECT_EQ(status_.error_message(), "the pass is over");
  }
  EXPECT_EQ(hub_.blocks.size(), 4u);
}

TEST_P(FlightServerTest, MessagesThatAreNotBlocksAreRefused) {
  flight::FlightData dictionary = Data(TestBlock(0, 1, ""));
  dictionary.set_data_header(TestMessage(TestHeader::kDictionaryBatch, 0, 0));
  flight::FlightData no_schema = First();
  no_schema.clear_data_header();
  flight::FlightData untyped = First();
  untyped.mutable_flight_descriptor()->set_type(flight::FlightDescriptor::UNKNOWN);
  const std::vector<std::pair<std::vector<flight::FlightData>, std::string>> cases = {
      {{First(), dictionary}, "cast the column to its value type"},
      {{First(), First()}, "the message has no rows"},
      {{no_schema}, "the first message has no Arrow schema"},
      {{untyped}, "the first message has no descriptor with a command"},
      {{First("{}")}, "'feed' is not the name of a feed"},
      {{}, "the call has no message"},
  };
  for (const auto& [messages, text] : cases) {
    ASSERT_TRUE(loop_.Run([&] { Put(messages, status_); }));
    EXPECT_EQ(status_.error_code(), StatusCode::INVALID_ARGUMENT) << text;
    EXPECT_THAT(status_.error_message(), HasSubstr(text));
  }
  EXPECT_TRUE(hub_.blocks.empty());
}

TEST_P(FlightServerTest, CallsWithoutTheTokenAreRefused) {
  for (const auto& [token, text] :
       std::vector<std::pair<std::string, std::string>>{{"", "send the header 'authorization: Bearer TOKEN'"},
                                                        {"wrong", "not that of a feed of this job"},
                                                        {"of another feed", "not that of the feed 'train'"}}) {
    const auto check = [&, text = text] {
      EXPECT_EQ(status_.error_code(), StatusCode::UNAUTHENTICATED);
      EXPECT_THAT(status_.error_message(), HasSubstr(text));
    };
    ASSERT_TRUE(loop_.Run([&] { Put({First(), Data(TestBlock(0, 1, ""))}, status_, token); }));
    check();
    ASSERT_TRUE(loop_.Run([&] { Act("ask", R"({"feed":"train"})", status_, token); }));
    check();
    ASSERT_TRUE(loop_.Run([&] {
      Context context(token);
      flight::Ticket ticket;
      ticket.set_ticket(kTicket);
      status_ = stub_->DoGet(&context, ticket)->Finish();
    }));
    check();
  }
  EXPECT_TRUE(hub_.blocks.empty() && hub_.actions.empty() && hub_.gets.empty());
}

TEST_P(FlightServerTest, OtherMethodsAreUnimplemented) {
  const auto check = [&](const std::string& method) {
    EXPECT_EQ(status_.error_code(), StatusCode::UNIMPLEMENTED);
    EXPECT_EQ(status_.error_message(),
              "the feeds of Howdah do not support " + method + "; they support DoAction, DoExchange, DoGet and DoPut");
  };
  ASSERT_TRUE(loop_.Run([&] {
    Context context;
    flight::FlightInfo info;
    status_ = stub_->GetFlightInfo(&context, {}, &info);
  }));
  check("GetFlightInfo");
  ASSERT_TRUE(loop_.Run([&] {
    Context context;
    status_ = stub_->ListActions(&context, {})->Finish();
  }));
  check("ListActions");
  ASSERT_TRUE(loop_.Run([&] {
    Context context;
    status_ = stub_->Handshake(&context)->Finish();
  }));
  check("Handshake");
}

TEST_P(FlightServerTest, ActionsHaveAnyNumberOfResults) {
  std::vector<std::string> results;
  auto supply = std::async(std::launch::async, [&] { return Act("supply", R"({"feed":"train"})", status_); });
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.actions.size() == 1; }));
  EXPECT_EQ(hub_.actions[0].type, "supply");
  EXPECT_EQ(hub_.actions[0].body, R"({"feed":"train"})");
  const FlightServer::Handlers::Call call = hub_.actions[0].call;
  for (const char* text : {"1", "2", "3"}) call.reply(text);
  call.finish({});
  call.reply("too late");
  call.finish(Failed("too late"));
  ASSERT_TRUE(loop_.Run([&] { results = supply.get(); }));
  EXPECT_TRUE(status_.ok());
  EXPECT_THAT(results, ElementsAre("1", "2", "3"));
  EXPECT_TRUE(hub_.cancelled.empty());

  auto unknown = std::async(std::launch::async, [&] { return Act("x", R"({"feed":"train"})", status_); });
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.actions.size() == 2; }));
  hub_.actions[1].call.finish(Error{ErrorCode::kNotFound, "unknown action x"});
  ASSERT_TRUE(loop_.Run([&] { results = unknown.get(); }));
  EXPECT_EQ(status_.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(status_.error_message(), "unknown action x");
}

TEST_P(FlightServerTest, CancelledActionIsReportedOnce) {
  Context context;
  flight::Action action;
  action.set_type("supply");
  action.set_body(R"({"feed":"train"})");
  const auto stream = stub_->DoAction(&context, action);
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.actions.size() == 1; }));
  context.TryCancel();
  ASSERT_TRUE(loop_.RunUntil([&] { return !hub_.cancelled.empty(); }));
  EXPECT_THAT(hub_.cancelled, ElementsAre(hub_.actions[0].id));
  hub_.actions[0].call.reply("nobody reads this");
  hub_.actions[0].call.finish({});
  ASSERT_TRUE(loop_.Run([&] { status_ = stream->Finish(); }));
  EXPECT_EQ(status_.error_code(), StatusCode::CANCELLED);
  EXPECT_EQ(hub_.cancelled.size(), 1u);
}

TEST_P(FlightServerTest, CancelledPutKeepsItsBlockUntilTheAnswer) {
  Context context;
  const auto stream = stub_->DoPut(&context);
  ASSERT_TRUE(stream->Write(First()));
  ASSERT_TRUE(stream->Write(Data(TestBlock(0, 1, "12345678"))));
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.blocks.size() == 1; }));
  context.TryCancel();
  ASSERT_TRUE(loop_.Run([&] { status_ = stream->Finish(); }));
  EXPECT_EQ(status_.error_code(), StatusCode::CANCELLED);
  hub_.blocks[0].answer(PutAnswer::kAcknowledged);
  AnswerAll(PutAnswer::kAcknowledged);
  ASSERT_TRUE(loop_.Run([&] { Put({First(), Data(TestBlock(0, 1, ""))}, status_); }));
  EXPECT_TRUE(status_.ok());
}

TEST_P(FlightServerTest, UnansweredBlocksOfAllCallsAreLimited) {
  const std::string body(static_cast<size_t>(kBlockBytes), 'b');
  constexpr size_t kCalls = FlightServer::kUnansweredBytes / kBlockBytes;
  std::vector<std::future<grpc::Status>> puts;
  const auto start = [&] {
    puts.push_back(std::async(std::launch::async, [&] {
      grpc::Status status;
      Put({First(), Data(TestBlock(0, 2, body))}, status);
      return status;
    }));
  };
  for (size_t i = 1; i <= kCalls; ++i) {
    start();
    ASSERT_TRUE(loop_.RunUntil([&] { return hub_.blocks.size() == i; }));
  }
  // There is no room for a further block. It is small, so the server has it before the calls that follow it on the same
  // connection.
  Context context;
  const auto stream = stub_->DoPut(&context);
  ASSERT_TRUE(stream->Write(First()));
  ASSERT_TRUE(stream->Write(Data(TestBlock(7, 1, "12345678"))));
  grpc::Status ignored;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(loop_.Run([&] { Act("ask", "[]", ignored); }));
  ASSERT_EQ(hub_.blocks.size(), kCalls);
  hub_.blocks[0].answer(PutAnswer::kAcknowledged);
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.blocks.size() == kCalls + 1; }));
  EXPECT_EQ(hub_.blocks.back().block.first_row, 7);
  for (size_t i = 1; i <= kCalls; ++i) hub_.blocks[i].answer(PutAnswer::kAcknowledged);
  stream->WritesDone();
  ASSERT_TRUE(loop_.Run([&] {
    for (flight::PutResult result; stream->Read(&result);) {
    }
    status_ = stream->Finish();
  }));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  for (auto& put : puts) {
    ASSERT_TRUE(loop_.Run([&] { status_ = put.get(); }));
    EXPECT_TRUE(status_.ok()) << status_.error_message();
  }
}

TEST_P(FlightServerTest, ShutdownEndsOpenCalls) {
  auto put = std::async(std::launch::async, [&] {
    grpc::Status status;
    Put({First(), Data(TestBlock(0, 1, ""))}, status);
    return status;
  });
  std::vector<std::string> results;
  auto act = std::async(std::launch::async, [&] {
    grpc::Status status;
    results = Act("supply", R"({"feed":"train"})", status);
    return status;
  });
  Context context;
  flight::Ticket ticket;
  ticket.set_ticket(kTicket);
  const auto get = stub_->DoGet(&context, ticket);
  ASSERT_TRUE(
      loop_.RunUntil([&] { return hub_.blocks.size() == 1 && hub_.actions.size() == 1 && hub_.gets.size() == 1; }));
  hub_.actions[0].call.reply(R"({"over":true})");
  server_.reset();
  for (const grpc::Status& status : {put.get(), act.get(), get->Finish()}) {
    EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
    EXPECT_EQ(status.error_message(), "the executor of this task ends");
  }
  EXPECT_THAT(results, ElementsAre(R"({"over":true})"));
  hub_.blocks[0].answer(PutAnswer::kAcknowledged);
  hub_.actions[0].call.reply("too late");
  hub_.actions[0].call.finish({});
  hub_.gets[0].call.send(TestSchema(), {});
  hub_.gets[0].call.finish({});
  EXPECT_TRUE(hub_.cancelled.empty());
}

TEST_P(FlightServerTest, BlocksAreTakenAsTheClientReadsThem) {
  Context context;
  flight::Ticket ticket;
  ticket.set_ticket(kTicket);
  const auto get = stub_->DoGet(&context, ticket);
  ASSERT_TRUE(loop_.RunUntil([&] { return hub_.gets.size() == 1; }));
  constexpr int kBlocks = 64;
  const FlightServer::Handlers::Get call = hub_.gets[0].call;
  const std::string body(1 << 20, 'x');
  int sent = 0;
  std::function<void()> more = [&] {
    for (; sent < kBlocks && call.has_room(); ++sent) call.send(TestSchema(), {TestBlock(sent, 1, body)});
    sent == kBlocks ? call.finish({}) : call.when_room(more);
  };
  more();
  EXPECT_LE(sent, 6) << "the client has read nothing";
  int received = 0;
  ASSERT_TRUE(loop_.Run([&] {
    flight::FlightData data;
    while (get->Read(&data)) ++received;
    status_ = get->Finish();
  }));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(received, 1 + kBlocks);
}

TEST_P(FlightServerTest, HandlerMayDestroyTheServer) {
  hub_.on_block = [&] { server_.reset(); };
  ASSERT_TRUE(loop_.Run([&] { Put({First(), Data(TestBlock(0, 1, ""))}, status_); }));
  EXPECT_EQ(status_.error_code(), StatusCode::UNAVAILABLE);
}

TEST(FlightServerStart, FailureNamesTheRemedy) {
  TestLoop loop;
  TestHub hub;
  const auto directory = *os::files::TemporaryDirectory::Make("flight");
  const std::string path = directory.path() + "/flight";
  const auto identities = *rpc::MakeJobIdentities("test");
  struct Case {
    std::string path, host, text;
  };
  for (const Case& c : {Case{path + std::string(100, 'x'), "", "use a working directory with a shorter path"},
                        Case{directory.path() + "/none/flight", "", "the folder of the socket must exist"},
                        Case{path, "192.0.2.1", "it must be an address of this machine"}}) {
    const auto started = FlightServer::Start(c.path, c.host, identities.executor, loop.post(), hub.handlers());
    ASSERT_FALSE(started.ok());
    EXPECT_THAT(started.error().message, HasSubstr(c.text));
  }
}

}  // namespace
}  // namespace howdah::feed::server
