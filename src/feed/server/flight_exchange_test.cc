// DoExchange of the Flight server.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "flight_server.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/wire/flight.grpc.pb.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using Exchange = FlightServer::Handlers::Exchange;

constexpr char kExchangeCommand[] = R"({"feed":"train"})";

flight::FlightData Begin(const std::string& command = kExchangeCommand) {
  flight::FlightData message;
  message.mutable_flight_descriptor()->set_type(flight::FlightDescriptor::CMD);
  message.mutable_flight_descriptor()->set_cmd(command);
  message.set_data_header(TestSchema());
  return message;
}

flight::FlightData QuestionData(int64_t block, const std::string& body) {
  flight::FlightData message;
  message.set_data_header(TestBlock(0, 1, body).header);
  message.set_data_body(body);
  message.set_app_metadata(R"({"block":)" + std::to_string(block) + "}");
  return message;
}

class FlightExchangeTest : public testing::Test {
 protected:
  // The server's side of one call. It answers each question with its body, unless `answers` is false.
  struct Served {
    Exchange exchange;
    std::vector<std::string> questions;
    std::string schema;
    std::vector<int64_t> unsent;
    bool asked = false, cancelled = false;
  };
  FlightExchangeTest() {
    FlightServer::Handlers handlers = hub_.handlers();
    handlers.has_tokens = [this] { return started_; };
    handlers.on_cancelled = [this](uint64_t id) { served_.at(id).cancelled = true; };
    handlers.exchanges.on_exchange = [this](uint64_t id, const std::string& feed, Exchange exchange) {
      EXPECT_EQ(feed, "train");
      served_[id].exchange = std::move(exchange);
      served_[id].exchange.read();
    };
    handlers.exchanges.on_question = [this](uint64_t id, const std::string& schema, ArrowBlock block) {
      Served& served = served_.at(id);
      served.schema = schema;
      served.questions.push_back(block.body.Text());
      if (!answers_) return;
      served.exchange.send("{\"block\":" + std::to_string(block.first_row) + "}\n", block.body.Text());
      served.exchange.read();
    };
    handlers.exchanges.on_asked = [this](uint64_t id) {
      served_.at(id).asked = true;
      if (answers_) served_.at(id).exchange.finish({});
    };
    handlers.exchanges.on_sent = [this](uint64_t id, int64_t unsent) { served_.at(id).unsent.push_back(unsent); };
    auto started = FlightServer::Start(path(), "", {}, loop_.post(), std::move(handlers));
    if (!started.ok()) std::abort();
    server_ = std::move(*started);
    stub_ = flight::FlightService::NewStub(grpc::CreateChannel("unix:" + path(), grpc::InsecureChannelCredentials()));
  }

  std::string path() const { return directory_.path() + "/flight"; }
  using Context = TestCallContext;
  // Sends messages in one call, and receives until it ends.
  std::vector<std::string> Ask(const std::vector<flight::FlightData>& messages, grpc::Status& status,
                               const std::string& token = kTestToken) {
    Context context(token);
    const auto stream = stub_->DoExchange(&context);
    for (const flight::FlightData& message : messages) {
      if (!stream->Write(message)) break;
    }
    stream->WritesDone();
    std::vector<std::string> answers;
    for (flight::FlightData answer; stream->Read(&answer);) {
      EXPECT_TRUE(answer.data_header().empty() && answer.data_body().empty());
      answers.push_back(answer.app_metadata());
    }
    status = stream->Finish();
    return answers;
  }

  os::files::TemporaryDirectory directory_ = *os::files::TemporaryDirectory::Make("exchange");
  TestLoop loop_;
  TestHub hub_;
  bool answers_ = true, started_ = true;
  std::map<uint64_t, Served> served_;
  std::unique_ptr<FlightServer> server_;
  std::unique_ptr<flight::FlightService::Stub> stub_;
};

TEST_F(FlightExchangeTest, EachQuestionHasAnAnswer) {
  const std::string large(3 << 20, 'x');
  std::vector<std::string> answers;
  grpc::Status status;
  ASSERT_TRUE(loop_.Run([&] {
    answers = Ask({Begin(), QuestionData(0, "first"), QuestionData(1, ""), QuestionData(2, large)}, status);
  }));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(answers, ElementsAre("{\"block\":0}\nfirst", "{\"block\":1}\n", "{\"block\":2}\n" + large));
  ASSERT_EQ(served_.size(), 1U);
  const Served& served = served_.begin()->second;
  EXPECT_EQ(served.schema, TestSchema());
  EXPECT_TRUE(served.asked);
  EXPECT_FALSE(served.cancelled);
}

TEST_F(FlightExchangeTest, DescriptorAndSchemaMayComeInTwoMessages) {
  flight::FlightData descriptor = Begin(), schema = Begin();
  descriptor.clear_data_header();
  schema.clear_flight_descriptor();
  std::vector<std::string> answers;
  grpc::Status status;
  ASSERT_TRUE(loop_.Run([&] { answers = Ask({descriptor, schema, QuestionData(0, "x")}, status); }));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(answers, ElementsAre("{\"block\":0}\nx"));
  ASSERT_TRUE(loop_.Run([&] { answers = Ask({descriptor}, status); }));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(served_.size(), 1U);
}

TEST_F(FlightExchangeTest, InvalidCallsAreRefusedWithAReason) {
  flight::FlightData no_schema = Begin();
  no_schema.set_data_header(TestBlock(0, 1, "").header);
  flight::FlightData no_command = Begin();
  no_command.clear_flight_descriptor();
  flight::FlightData unnumbered = QuestionData(0, "x");
  unnumbered.clear_app_metadata();
  const struct {
    std::vector<flight::FlightData> messages;
    std::string token;
    StatusCode code;
    std::string text;
  } rows[] = {
      {{}, kTestToken, StatusCode::INVALID_ARGUMENT, "the call has no message"},
      {{no_schema}, kTestToken, StatusCode::INVALID_ARGUMENT, "has no Arrow schema"},
      {{no_command}, kTestToken, StatusCode::INVALID_ARGUMENT, "no descriptor with a command"},
      {{Begin("{}")}, kTestToken, StatusCode::INVALID_ARGUMENT, "'feed' is not the name of a feed"},
      {{Begin(R"({"feed":"other"})")}, kTestToken, StatusCode::UNAUTHENTICATED, "not that of the feed 'other'"},
      {{Begin()}, "guessed", StatusCode::UNAUTHENTICATED, "not that of a feed of this job"},
      {{Begin(), unnumbered}, kTestToken, StatusCode::INVALID_ARGUMENT, "metadata of the block"},
      {{Begin(), Begin()}, kTestToken, StatusCode::INVALID_ARGUMENT, "the message has no rows"},
  };
  for (const auto& row : rows) {
    grpc::Status status;
    ASSERT_TRUE(loop_.Run([&] { Ask(row.messages, status, row.token); })) << row.text;
    EXPECT_EQ(status.error_code(), row.code) << row.text;
    EXPECT_THAT(status.error_message(), HasSubstr(row.text));
  }
}

TEST_F(FlightExchangeTest, CallsBeforeTheFirstAttemptAreUnavailable) {
  started_ = false;
  grpc::Status status;
  ASSERT_TRUE(loop_.Run([&] { Ask({Begin()}, status, "not known yet"); }));
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(FlightExchangeTest, CancelledCallIsReported) {
  answers_ = false;
  Context context;
  const auto stream = stub_->DoExchange(&context);
  ASSERT_TRUE(loop_.Run([&] { stream->Write(Begin()) && stream->Write(QuestionData(0, "x")); }));
  ASSERT_TRUE(loop_.RunUntil([&] { return !served_.empty() && served_.begin()->second.questions.size() == 1; }));
  context.TryCancel();
  ASSERT_TRUE(loop_.RunUntil([&] { return served_.begin()->second.cancelled; }));
  served_.begin()->second.exchange.send("{}\n", "late");
  served_.begin()->second.exchange.read();
  served_.begin()->second.exchange.finish({});
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
}

TEST_F(FlightExchangeTest, UnsentBytesShrinkWhenTheClientReceives) {
  answers_ = false;
  Context context;
  const auto stream = stub_->DoExchange(&context);
  ASSERT_TRUE(loop_.Run([&] { stream->Write(Begin()) && stream->Write(QuestionData(0, "x")); }));
  ASSERT_TRUE(loop_.RunUntil([&] { return !served_.empty() && served_.begin()->second.questions.size() == 1; }));
  Served& served = served_.begin()->second;
  const size_t bytes = 3 << 20;  // gRPC's clients receive at most 4 MiB
  for (int i = 0; i < 4; ++i) served.exchange.send("{}\n", std::string(bytes, 'x'));
  size_t received = 0;
  ASSERT_TRUE(loop_.Run([&] {
    flight::FlightData answer;
    for (int i = 0; i < 4 && stream->Read(&answer); ++i) received += answer.app_metadata().size();
  }));
  EXPECT_EQ(received, 4 * (bytes + 3));
  ASSERT_TRUE(loop_.RunUntil([&] { return served.unsent.size() == 4; }));
  EXPECT_TRUE(std::is_sorted(served.unsent.rbegin(), served.unsent.rend()));
  EXPECT_EQ(served.unsent.back(), 0);
  served.exchange.finish({});
  ASSERT_TRUE(loop_.Run([&] { EXPECT_TRUE(stream->Finish().ok()); }));
}

TEST_F(FlightExchangeTest, EndOfTheServerIsUnavailable) {
  answers_ = false;
  grpc::Status status;
  bool ended = false;
  std::thread client([&] {
    Ask({Begin(), QuestionData(0, "x")}, status);
    loop_.post()([&] { ended = true; });
  });
  ASSERT_TRUE(loop_.RunUntil([&] { return !served_.empty() && served_.begin()->second.questions.size() == 1; }));
  server_.reset();
  EXPECT_TRUE(loop_.RunUntil([&] { return ended; }));
  client.join();
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  served_.begin()->second.exchange.send("{}\n", "late");
  served_.begin()->second.exchange.read();
}

}  // namespace
}  // namespace howdah::feed::server
