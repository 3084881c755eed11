#include "reader_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace howdah::feed::server {
namespace {

using Json = nlohmann::json;

TEST(ReaderRequests, EachRequestIsRead) {
  const auto read = [](const char* text) {
    const NumberedRequest numbered = ParseReaderRequest(text);
    EXPECT_TRUE(numbered.request.ok()) << text;
    return *numbered.request;
  };
  const auto open = std::get<OpenRequest>(read(R"({"open": "train", "local_rank": 3, "attempt": 2, "new": [1]})"));
  EXPECT_EQ(open.feed, "train");
  EXPECT_EQ(std::get<OpenRequest>(read(R"({"open": null, "local_rank": 0, "attempt": 0})")).feed, "");
  EXPECT_EQ(open.local_rank, 3);
  EXPECT_EQ(open.attempt, 2);
  const auto next = std::get<NextRequest>(read(R"({"next": {"pass": 1, "rows": 8, "returned": 16, "waiting": true}})"));
  EXPECT_EQ(next.pass, 1);
  EXPECT_EQ(next.rows, 8);
  EXPECT_EQ(next.returned, 16);
  EXPECT_EQ(next.batches, 1);
  EXPECT_TRUE(next.waiting);
  EXPECT_EQ(std::get<NextRequest>(read(R"({"next": {"pass": 0, "rows": 1, "batches": 32, "returned": 0}})")).batches,
            32);
  EXPECT_EQ(std::get<ReturnedRequest>(read(R"({"returned": {"pass": 1, "rows": 9}})")).rows, 9);
  const auto release = std::get<ReleaseRequest>(read(R"({"release": [1, 2], "after": 5})"));
  EXPECT_EQ(release.blocks, (std::vector<BlockId>{1, 2}));
  EXPECT_EQ(release.after, 5);
  const auto step = std::get<StepRequest>(read(R"({"step": {"step": 7, "pass": 0, "rows": 64, "wait": true}})"));
  EXPECT_EQ(step.step, 7);
  EXPECT_TRUE(step.wait);
  EXPECT_EQ(std::get<CheckpointedRequest>(read(R"({"checkpointed": 7})")).step, 7);
  EXPECT_EQ(std::get<FoundRequest>(read(R"({"found": 7})")).step, 7);
  EXPECT_EQ(std::get<FoundRequest>(read(R"({"found": 7, "bytes": 9})")).bytes, 9);
  EXPECT_EQ(std::get<PointRequest>(read(R"({"point": 7})")).step, 7);
  EXPECT_EQ(std::get<CommitRequest>(read(R"({"commit": {"pass": 1, "rows": 9}})")).rows, 9);
  EXPECT_TRUE(std::holds_alternative<StopRequest>(read(R"({"stop": true})")));
  EXPECT_TRUE(std::holds_alternative<LeaveRequest>(read(R"({"leave": true})")));
  EXPECT_EQ(ParseReaderRequest(R"({"id": 12, "stop": true})").id, 12);
  const auto serve = std::get<ServeRequest>(read(R"({"serve": "ask", "local_rank": 3, "attempt": 2})"));
  EXPECT_EQ(serve.feed, "ask");
  EXPECT_EQ(std::get<ServeRequest>(read(R"({"serve": null, "local_rank": 0, "attempt": 0})")).feed, "");
  EXPECT_EQ(serve.local_rank, 3);
  EXPECT_EQ(serve.attempt, 2);
  EXPECT_TRUE(std::holds_alternative<TakeRequest>(read(R"({"take": true})")));
  const auto answer = std::get<AnswerRequest>(read(R"({"answer": 5, "bytes": 268435456})"));
  EXPECT_EQ(answer.question, 5);
  EXPECT_EQ(answer.bytes, 256 << 20);
  const auto refuse = std::get<RefuseRequest>(read(R"({"refuse": 5, "message": "no"})"));
  EXPECT_EQ(refuse.question, 5);
  EXPECT_EQ(refuse.message, "no");
}

TEST(ReaderRequests, DamagedRequestsAreRefused) {
  for (const char* text : {"",
                           "{",
                           "[]",
                           "7",
                           "{}",
                           R"({"start": 1})",
                           R"({"open": 1})",
                           R"({"open": "a"})",
                           R"({"open": "a", "local_rank": -1, "attempt": 0})",
                           R"({"open": "a", "local_rank": 1e9, "attempt": 0})",
                           R"({"next": []})",
                           R"({"next": {"pass": 0, "rows": 0, "returned": 0}})",
                           R"({"next": {"pass": 0, "rows": 18446744073709551615, "returned": 0}})",
                           R"({"next": {"pass": 0, "rows": 1.5, "returned": 0}})",
                           R"({"next": {"pass": 0, "rows": 1, "returned": 0, "waiting": 1}})",
                           R"({"next": {"pass": 0, "rows": 1, "batches": 0, "returned": 0}})",
                           R"({"next": {"pass": 0, "rows": 1, "batches": 1025, "returned": 0}})",
                           R"({"release": {}})",
                           R"({"release": ["1"]})",
                           R"({"release": [], "after": "x"})",
                           R"({"found": null})",
                           R"({"commit": 1})",
                           R"({"serve": 1, "local_rank": 0, "attempt": 0})",
                           R"({"serve": "a", "local_rank": -1, "attempt": 0})",
                           R"({"answer": 1})",
                           R"({"answer": 1, "bytes": 268435457})",
                           R"({"answer": -1, "bytes": 0})",
                           R"({"refuse": 1})",
                           R"({"refuse": 1, "message": 2})",
                           R"({"refuse": "1", "message": "no"})",
                           R"({"source_failed": {}})",
                           R"({"source_failed": {"message": ""}})",
                           R"({"source_failed": {"message": "no", "changed": 1}})",
                           R"({"returned": [[[[[[[[[]]]]]]]]]})"}) {
    EXPECT_FALSE(ParseReaderRequest(text).request.ok()) << text;
  }
}

TEST(ReaderRequests, RepliesRepeatTheNumber) {
  EXPECT_EQ(WithId(0, EmptyReply()).front().text, "{}");
  EXPECT_EQ(WithId(7, EmptyReply()).front().text, "{\"id\":7}");
  const auto error = Json::parse(WithId(7, ErrorReply({ReaderError::Kind::kLost, "no source"})).front().text);
  EXPECT_EQ(error, Json::parse(R"({"id": 7, "error": {"kind": "FeedLost", "message": "no source"}})"));
}

TEST(ReaderRequests, RepliesToOpenAndAtTheEnd) {
  const OpenedReader opened{.feed = "train", .reader = 1, .readers = 4, .passes = 3, .pass = 2};
  EXPECT_EQ(Json::parse(OpenReply(opened).front().text),
            Json::parse(R"({"feed": "train", "reader": 1, "readers": 4, "passes": 3, "pass": 2, "split": "equal",
                            "remainder": "drop"})"));
  EXPECT_TRUE(Json::parse(OpenReply({}).front().text)["passes"].is_null()) << "a stream";
  const ClosePass end{.rows = 100, .left_out = 3, .repeated = 0};
  EXPECT_EQ(Json::parse(EndReply(end).front().text),
            Json::parse(R"({"end": {"rows": 100, "left_out": 3, "repeated": 0}})"));
}

TEST(ReaderRequests, FilesThatCannotBeRead) {
  const auto parsed = ParseReaderRequest(R"({"source_failed": {"message": "a.csv is damaged", "changed": true}})");
  const auto& failed = std::get<SourceFailedRequest>(*parsed.request);
  EXPECT_EQ(failed.message, "a.csv is damaged");
  EXPECT_TRUE(failed.changed);
  const ReaderError error = ToReaderError({FailFeed::Why::kFailed, "a.csv is damaged"});
  EXPECT_EQ(Json::parse(ErrorReply(error).front().text)["error"]["kind"], "FeedError");
}

TEST(ReaderRequests, LargeBatchIsDividedIntoMessages) {
  const auto file = std::make_shared<const os::files::Fd>();
  const auto schema = std::make_shared<const BlockSchema>(BlockSchema{5, std::string(200'001, 's')});
  ReaderBatch batch;
  batch.schemas = {schema};
  for (BlockId id = 1; id <= 450; ++id) batch.blocks.push_back({id, {file, id * 64, 100, schema, 20}});
  for (int64_t row = 0; row < 20'000; ++row) batch.slices.push_back({1 + row % 450, row % 20, 1});
  const ReaderReply reply = WithId(3, BatchReply(batch));
  size_t blocks = 0, slices = 0, schema_bytes = 0;
  for (const ReaderMessage& message : reply) {
    EXPECT_LE(message.text.size(), kMessageBytes);
    EXPECT_LE(message.files.size(), kMostFiles);
    const auto json = Json::parse(message.text);
    EXPECT_EQ(json["id"], 3);
    EXPECT_EQ(json.value("more", false), &message != &reply.back());
    EXPECT_EQ(json["blocks"].size(), message.files.size());
    for (const auto& entry : json["blocks"]) EXPECT_EQ(entry["id"], ++blocks);
    for (const auto& entry : json["schemas"]) schema_bytes += entry["bytes"].get<std::string>().size() / 4 * 3;
    slices += json["slices"].size();
  }
  EXPECT_EQ(blocks, 450U);
  EXPECT_EQ(slices, 20'000U);
  EXPECT_NEAR(static_cast<double>(schema_bytes), 200'016, 3);
}

TEST(ReaderRequests, QuestionIsOneBlock) {
  const auto file = std::make_shared<const os::files::Fd>();
  const auto small = std::make_shared<const BlockSchema>(BlockSchema{5, "schema"});
  const auto large = std::make_shared<const BlockSchema>(BlockSchema{6, std::string(200'001, 's')});
  TakenQuestion question{.id = 7, .exchange = 11, .block = 3, .place = {file, 64, 100, small, 20}};
  const ReaderReply known = TakeReply(question);
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].files.size(), 1U);
  EXPECT_EQ(Json::parse(known[0].text),
            Json::parse(R"({"question": 7, "exchange": 11, "block": 3, "schemas": [], "slices": [],
                            "blocks": [{"id": 7, "offset": 64, "bytes": 100, "schema": 5, "rows": 20}]})"));
  question.place.schema = large;
  question.is_new_schema = true;
  size_t files = 0;
  const ReaderReply reply = WithId(9, TakeReply(question));
  ASSERT_GT(reply.size(), 1U);
  for (const ReaderMessage& message : reply) {
    EXPECT_LE(message.text.size(), kMessageBytes);
    files += message.files.size();
    const auto json = Json::parse(message.text);
    EXPECT_EQ(json["id"], 9);
    EXPECT_EQ(json.contains("question"), &message == &reply.back());
    EXPECT_EQ(json.contains("more"), &message != &reply.back());
  }
  EXPECT_EQ(files, 1U);
}

TEST(ReaderRequests, SchemaIsAnEncapsulatedMessageInBase64) {
  const auto schema = std::make_shared<const BlockSchema>(BlockSchema{5, "abcdefghij"});
  ReaderBatch batch;
  batch.schemas = {schema};
  const auto json = Json::parse(BatchReply(batch).front().text);
  // Continuation, 16 bytes, "abcdefghij", padding.
  EXPECT_EQ(json["schemas"][0]["bytes"], "/////xAAAABhYmNkZWZnaGlqAAAAAAAA");
}

}  // namespace
}  // namespace howdah::feed::server
