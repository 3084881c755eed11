// Calls of clients that number no rows, and strangers.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "flight_server.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/wire/flight.grpc.pb.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

flight::FlightData MessageOf(const std::string& header, const std::string& body = "") {
  flight::FlightData message;
  message.set_data_header(header);
  message.set_data_body(body);
  return message;
}

flight::FlightData FirstOfPath(const std::vector<std::string>& path) {
  flight::FlightData message = MessageOf(TestSchema());
  message.mutable_flight_descriptor()->set_type(flight::FlightDescriptor::PATH);
  for (const std::string& part : path) message.mutable_flight_descriptor()->add_path(part);
  return message;
}

flight::FlightData BatchOf(int64_t rows) {
  return MessageOf(TestMessage(TestHeader::kRecordBatch, rows, 8), "12345678");
}

class PlainCallTest : public ::testing::Test {
 protected:
  PlainCallTest() {
    FlightServer::Handlers handlers = hub_.handlers();
    handlers.plain.on_begin = [this](uint64_t, const std::string& feed, const std::string&, auto finish) {
      log_.push_back("begin " + feed);
      finish_ = std::move(finish);
    };
    handlers.plain.on_block = [this](uint64_t, const std::string&, const ArrowBlock& block, auto answer) {
      log_.push_back(std::to_string(block.rows) + " rows from " + std::to_string(block.first_row));
      answer(block.first_row + block.rows);
    };
    handlers.plain.on_end = [this](uint64_t) {
      log_.push_back("end");
      finish_(Status());
    };
    const auto start = [&](const std::string& host) {
      return FlightServer::Start(directory_.path() + "/flight", host, identities_.executor, loop_.post(), handlers);
    };
    server_ = std::move(*start("127.0.0.1"));
    stub_ = flight::FlightService::NewStub(
        grpc::CreateChannel("unix:" + directory_.path() + "/flight", grpc::InsecureChannelCredentials()));
  }

  // Sends messages in one DoPut call. Returns the last answer.
  std::string Put(const std::vector<flight::FlightData>& messages, grpc::Status& status) {
    std::string last;
    EXPECT_TRUE(loop_.Run([&] {
      grpc::ClientContext context;
      context.AddMetadata("authorization", std::string("Bearer ") + kTestToken);
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
      const auto stream = stub_->DoPut(&context);
      for (const flight::FlightData& message : messages) {
        if (!stream->Write(message)) break;
      }
      stream->WritesDone();
      for (flight::PutResult result; stream->Read(&result);) last = result.app_metadata();
      status = stream->Finish();
    }));
    return last;
  }

  TestLoop loop_;
  TestHub hub_;
  os::files::TemporaryDirectory directory_ = *os::files::TemporaryDirectory::Make("flight");
  const rpc::JobIdentities identities_ = *rpc::MakeJobIdentities("test");
  std::vector<std::string> log_;
  std::function<void(Status)> finish_;
  std::unique_ptr<FlightServer> server_;
  std::unique_ptr<flight::FlightService::Stub> stub_;
  grpc::Status status_;
};

TEST_F(PlainCallTest, ServerNumbersTheRows) {
  EXPECT_EQ(
      Put({FirstOfPath({"train"}), BatchOf(3), MessageOf(TestMessage(TestHeader::kRecordBatch, 0, 0)), BatchOf(2)},
          status_),
      R"({"rows":5})");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_THAT(log_, ElementsAre("begin train", "3 rows from 0", "2 rows from 3", "end"));
}

TEST_F(PlainCallTest, RefusedMessageEndsTheCallAndItsPartition) {
  Put({FirstOfPath({"train"}), BatchOf(3), MessageOf(TestMessage(TestHeader::kDictionaryBatch, 1, 0))}, status_);
  EXPECT_EQ(status_.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status_.error_message(), HasSubstr("dictionary"));
  EXPECT_THAT(log_, ElementsAre("begin train", "3 rows from 0", "end"));
}

TEST_F(PlainCallTest, PathIsTheNameOfOneFeed) {
  Put({FirstOfPath({"train", "more"})}, status_);
  EXPECT_EQ(status_.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status_.error_message(), HasSubstr("FlightDescriptor.for_path(\"live\")"));
  Put({FirstOfPath({"other"})}, status_);
  EXPECT_EQ(status_.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(log_, ElementsAre());
}

// Connections that never make a call cannot use up the descriptors of the executor.
TEST_F(PlainCallTest, ConnectionsOfStrangersAreLimited) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<os::files::Fd> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(strangers.back().get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  pollfd first{strangers.front().get(), POLLRDHUP, 0};
  EXPECT_EQ(::poll(&first, 1, 60'000), 1) << "the oldest connection is not closed";
}

}  // namespace
}  // namespace howdah::feed::server
