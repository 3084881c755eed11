#include "source_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_flight.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;

std::string PutText(const std::string& body, int64_t body_bytes, const std::string& schema = TestSchema()) {
  const std::string command = R"({"feed": "train", "pass": 1, "partition": 2, "reader": 3})";
  const std::string metadata = R"({"from": 40, "digest": 9})";
  const std::string header = TestMessage(TestHeader::kRecordBatch, 5, body_bytes);
  std::string line = R"({"id": 7, "put": [)";
  for (const size_t size : {command.size(), metadata.size(), schema.size(), header.size()}) {
    line += std::to_string(size) + ", ";
  }
  return line + std::to_string(body_bytes) + "]}\n" + command + metadata + schema + header + body;
}

std::string ErrorOf(const std::string& message) {
  const SourceRequest parsed = ParseSourceRequest(message);
  return parsed.request ? "" : parsed.request.error().message;
}

TEST(SourceRequests, PutHasTheTextsOfADoPut) {
  const SourceRequest parsed = ParseSourceRequest(PutText("", 100));
  ASSERT_TRUE(parsed.request) << parsed.request.error().message;
  EXPECT_EQ(parsed.id, 7);
  const auto& put = std::get<PutRequest>(*parsed.request);
  EXPECT_EQ(put.target, (PutTarget{"train", 1, 2, 3}));
  EXPECT_EQ(put.schema, TestSchema());
  EXPECT_FALSE(put.has_body);
  EXPECT_EQ(put.body_bytes, 100);
  EXPECT_EQ(put.block.first_row, 40);
  EXPECT_EQ(put.block.rows, 5);
  EXPECT_EQ(put.block.digest, 9U);
  EXPECT_TRUE(put.block.unix_socket);
}

TEST(SourceRequests, PutMayHaveItsBody) {
  const SourceRequest parsed = ParseSourceRequest(PutText("12345678", 8));
  ASSERT_TRUE(parsed.request);
  const auto& put = std::get<PutRequest>(*parsed.request);
  EXPECT_TRUE(put.has_body);
  EXPECT_EQ(put.block.body, "12345678");
  const SourceRequest empty = ParseSourceRequest(PutText("", 0));
  ASSERT_TRUE(empty.request);
  EXPECT_TRUE(std::get<PutRequest>(*empty.request).has_body) << "columns of nulls have no bytes";
}

TEST(SourceRequests, OtherRequests) {
  EXPECT_EQ(std::get<TokenRequest>(*ParseSourceRequest("{\"id\":1,\"token\":\"abc\"}\n").request).token, "abc");
  EXPECT_EQ(std::get<WrittenRequest>(*ParseSourceRequest("{\"id\":2,\"written\":1}\n").request).put, 1);
  const SourceRequest action = ParseSourceRequest("{\"id\":3,\"action\":\"ask\"}\n{\"feed\":\"train\"}");
  EXPECT_EQ(std::get<ActionRequest>(*action.request).type, "ask");
  EXPECT_EQ(std::get<ActionRequest>(*action.request).body, "{\"feed\":\"train\"}");
}

TEST(SourceRequests, WrongRequestsAreErrors) {
  struct Case {
    std::string message, error;
  };
  const std::string whole = PutText("", 100);
  const std::string schema = TestMessage(TestHeader::kDictionaryBatch, 1, 0);
  for (const auto& [message, error] : {
           Case{"", "it has no line"},
           Case{"{\"id\":1,\"token\":\"abc\"}", "it has no line"},
           Case{std::string(5000, 'x') + "\n", "it has no line"},
           Case{"[[[[[[1]]]]]]\n", "it has no line"},
           Case{"x\n", "has no id"},
           Case{"{\"token\":\"abc\"}\n", "has no id"},
           Case{"{\"id\":-1,\"token\":\"abc\"}\n", "has no id"},
           Case{"{\"id\":1}\n", "it has neither 'token' nor"},
           Case{"{\"id\":1,\"written\":-1}\n", "it has neither 'token' nor"},
           Case{"{\"id\":1,\"put\":[1,2,3]}\n", "'put' is not a list of five sizes"},
           Case{"{\"id\":1,\"put\":[1,2,3,4,-5]}\n", "a size of 'put' is not a number"},
           Case{"{\"id\":1,\"put\":[1,2,3,4,5000000000000]}\n", "a size of 'put' is not a number"},
           Case{whole.substr(0, whole.size() - 1), "fewer bytes than 'put' says"},
           Case{PutText("1234", 100), "another number of bytes than 'put' says"},
           Case{PutText("", 100, schema), "it has no Arrow schema"},
           Case{PutText("", (int64_t{16} << 20) + 1), "send at most 8 MiB in each batch"},
       }) {
    EXPECT_THAT(ErrorOf(message), HasSubstr(error)) << message.substr(0, 80);
  }
}

TEST(SourceRequests, Replies) {
  EXPECT_EQ(SourceReply(1), "{\"id\":1}");
  EXPECT_EQ(SourceResultReply(2, "{\"what\":\"done\"}"), "{\"id\":2,\"result\":{\"what\":\"done\"}}");
  EXPECT_EQ(SourceAnswerReply(3, "{\"refused\":[0,1]}"), "{\"id\":3,\"answer\":{\"refused\":[0,1]}}");
  EXPECT_EQ(SourceWriteReply(4, 64), "{\"id\":4,\"write\":64}");
  EXPECT_EQ(SourceErrorReply(5, {ErrorCode::kUnavailable, "later"}),
            "{\"id\":5,\"error\":{\"kind\":\"unavailable\",\"message\":\"later\"}}");
  EXPECT_THAT(SourceErrorReply(6, Failed("no")), HasSubstr("\"kind\":\"refused\""));
}

}  // namespace
}  // namespace howdah::feed::server
