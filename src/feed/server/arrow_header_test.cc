#include "arrow_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "howdah/wire/flight.pb.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

using arrow::flight::protocol::FlightData;
using testing::HasSubstr;
using Kind = ArrowHeader::Kind;

// The message of a record batch with 3 rows of one column of int64, as pyarrow 26 writes it.
const std::vector<unsigned char> kFromPyarrow = {
    0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x16, 0x00, 0x06, 0x00, 0x05, 0x00, 0x08,
    0x00, 0x0c, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x03, 0x04, 0x00, 0x18, 0x00, 0x00, 0x00, 0x18, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x18, 0x00, 0x0c, 0x00, 0x04, 0x00, 0x08,
    0x00, 0x0a, 0x00, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

TEST(ArrowHeader, KindRowsAndBodyLengthAreRead) {
  struct Case {
    TestHeader type;
    Kind kind;
    int64_t rows;
  };
  for (const Case& c :
       {Case{TestHeader::kSchema, Kind::kSchema, 0}, Case{TestHeader::kDictionaryBatch, Kind::kDictionaryBatch, 0},
        Case{TestHeader::kRecordBatch, Kind::kRecordBatch, 7}, Case{TestHeader::kTensor, Kind::kOther, 0}}) {
    const auto header = ReadArrowHeader(TestMessage(c.type, 7, 64));
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header->kind, c.kind);
    EXPECT_EQ(header->rows, c.rows);
    EXPECT_EQ(header->body_bytes, 64);
  }
}

TEST(ArrowHeader, MessageOfPyarrowIsRead) {
  const auto header = ReadArrowHeader(std::string(kFromPyarrow.begin(), kFromPyarrow.end()));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->kind, Kind::kRecordBatch);
  EXPECT_EQ(header->rows, 3);
  EXPECT_EQ(header->body_bytes, 24);
}

TEST(ArrowHeader, CutMessageIsAnError) {
  const std::string message = TestMessage(TestHeader::kRecordBatch, 7, 64);
  for (size_t size = 0; size < message.size(); ++size)
    EXPECT_FALSE(ReadArrowHeader(message.substr(0, size)).ok()) << size;
}

TEST(ArrowHeader, DamagedPositionsAreErrorsAndNeverReadOutside) {
  const std::string message = TestMessage(TestHeader::kRecordBatch, 7, 64);
  for (size_t at = 0; at < message.size(); ++at) {
    for (const unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = message;
      damaged[at] = static_cast<char>(value);
      const auto header = ReadArrowHeader(damaged);
      EXPECT_TRUE(!header || (header->rows >= 0 && header->body_bytes >= 0));
    }
  }
  for (const auto& [rows, body] : {std::pair<int64_t, int64_t>{-1, 0}, {0, -1}}) {
    EXPECT_FALSE(ReadArrowHeader(TestMessage(TestHeader::kRecordBatch, rows, body)).ok());
  }
}

FlightData Message(TestHeader type, int64_t rows, const std::string& body, const std::string& metadata) {
  FlightData message;
  message.set_data_header(TestMessage(type, rows, static_cast<int64_t>(body.size())));
  message.set_data_body(body);
  message.set_app_metadata(metadata);
  return message;
}

TEST(TakeBlock, BlockSurvivesEncoding) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{1} << 20}) {
    const ArrowBlock block = TestBlock(5, 3, std::string(size, 'x'));
    FlightData message;
    ASSERT_TRUE(message.ParseFromString(EncodeBegin(block) + block.body.Text()));
    const auto taken = TakeBlock(message, message.data_body());
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_EQ(taken->header, block.header);
    EXPECT_EQ(taken->body, block.body.Text());
    EXPECT_EQ(taken->first_row, 5);
    EXPECT_EQ(taken->rows, 3);
  }
}

TEST(TakeBlock, OtherMessagesAreRefusedWithRemedy) {
  const std::string from = R"({"from":0})", large(static_cast<size_t>(kBlockBytes) + 1, 'x');
  FlightData other_length = Message(TestHeader::kRecordBatch, 1, "12345678", from);
  other_length.set_data_body("1234");
  FlightData empty;
  empty.set_app_metadata(from);
  const std::vector<std::pair<FlightData, std::string>> cases = {
      {empty, "send one record batch in each message"},
      {Message(TestHeader::kSchema, 0, "", from), "the message has no rows"},
      {Message(TestHeader::kRecordBatch, 0, "", from), "no empty ones"},
      {Message(TestHeader::kDictionaryBatch, 1, "", ""), "cast the column to its value type"},
      {Message(TestHeader::kRecordBatch, 1, "", ""), "the metadata of the block is not a JSON object"},
      {Message(TestHeader::kRecordBatch, 1, "", R"({"from":-1})"), "'from' is not a number from 0 to"},
      {Message(TestHeader::kRecordBatch, 2, "", R"({"from":1099511627775})"), "divide the data into more partitions"},
      {other_length, "it has 4 bytes, and its header says 8"},
      {Message(TestHeader::kRecordBatch, 2, large, from), "send at most 8 MiB in each batch"},
  };
  for (const auto& [message, text] : cases) {
    FlightData copy = message;
    const auto block = TakeBlock(copy, copy.data_body());
    ASSERT_FALSE(block.ok()) << text;
    EXPECT_EQ(block.error().code, ErrorCode::kUsage);
    EXPECT_THAT(block.error().message, HasSubstr(text));
  }
  FlightData one_row = Message(TestHeader::kRecordBatch, 1, large, from);
  EXPECT_TRUE(TakeBlock(one_row, large).ok());
}

TEST(TakeBlock, DigestIsANumberOrThatOfTheBody) {
  const auto take = [](const std::string& metadata) {
    FlightData message = Message(TestHeader::kRecordBatch, 2, "12345678", metadata);
    return TakeBlock(message, message.data_body());
  };
  const auto number = take(R"({"from":0,"digest":18446744073709551615})");
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(number->digest, UINT64_MAX);
  EXPECT_FALSE(number->digest_of_body);
  const auto body = take(R"({"from":0,"digest":"body"})");
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body->digest, std::nullopt);
  EXPECT_TRUE(body->digest_of_body);
  const auto none = take(R"({"from":0,"digest":null})");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->digest, std::nullopt);
  EXPECT_FALSE(none->digest_of_body);
  for (const std::string wrong : {"-1", "1.5", "\"Body\"", "true", "{}"}) {
    EXPECT_THAT(take("{\"from\":0,\"digest\":" + wrong + "}").error().message, HasSubstr("'digest' is not a number"));
  }
}

TEST(TakeBlock, QuestionHasTheNumberOfItsBlock) {
  FlightData message = Message(TestHeader::kRecordBatch, 2, "12345678", R"({"block":4})");
  const auto question = TakeQuestion(message, message.data_body());
  ASSERT_TRUE(question.ok()) << question.error().message;
  EXPECT_EQ(question->first_row, 4);
  EXPECT_EQ(question->rows, 2);
  FlightData other = Message(TestHeader::kRecordBatch, 2, "12345678", R"({"from":4})");
  EXPECT_THAT(TakeQuestion(other, other.data_body()).error().message, HasSubstr("'block' is not a number from 0 to"));
}

TEST(FlightTexts, TargetsAreRead) {
  const auto target = ReadPutTarget(R"({"feed":"train","pass":2,"partition":3,"more":[]})");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(*target, (PutTarget{"train", 2, 3}));
  const GetTarget get{"train", 2, 3, {4, 5}};
  const auto ticket = ReadTicket(TicketText(get));
  ASSERT_TRUE(ticket.ok());
  EXPECT_EQ(*ticket, get);
  EXPECT_EQ(*ReadFeedName(R"({"feed":"train"})"), "train");
  EXPECT_EQ(ReadExchangeTarget(R"({"feed":"ask"})")->feed, "ask");
  EXPECT_FALSE(ReadExchangeTarget(R"({"pass":0})").ok());
}

TEST(FlightTexts, DamagedTextsAreErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is not a JSON object"},
      {"[]", "is not a JSON object"},
      {"{", "is not a JSON object"},
      {"\xff", "is not a JSON object"},
      {std::string(100'000, '['), "is not a JSON object"},
      {R"({"feed":1})", "'feed' is not the name of a feed"},
      {R"({"feed":"a","pass":-1})", "'pass' is not a number from 0 to"},
      {R"({"feed":"a","pass":1.5})", "'pass' is not a number from 0 to"},
      {R"({"feed":"a","pass":18446744073709551615})", "'pass' is not a number from 0 to"},
      {R"({"feed":"a","pass":0,"partition":2147483648})", "'partition' is not a number from 0 to 2147483647"},
      {R"({"feed":"a","pass":0,"partition":0})", "'from' is not a number from 0 to"},
      {R"({"feed":"a","pass":0,"partition":0,"from":3,"to":3})", "not less than 'to'"},
  };
  for (const auto& [text, why] : cases) {
    const auto ticket = ReadTicket(text);
    ASSERT_FALSE(ticket.ok()) << text;
    EXPECT_EQ(ticket.error().code, ErrorCode::kUsage);
    EXPECT_THAT(ticket.error().message, HasSubstr(why));
  }
}

TEST(FlightTexts, AnswersAreObjects) {
  EXPECT_EQ(PutResultText(PutAnswer::kAcknowledged, {3, 5}), R"({"acknowledged":[3,5],"credit":true})");
  EXPECT_EQ(PutResultText(PutAnswer::kAcknowledgedNoCredit, {3, 5}), R"({"acknowledged":[3,5],"credit":false})");
  EXPECT_EQ(PutResultText(PutAnswer::kAcknowledged, {3, 5}, UINT64_MAX),
            R"({"acknowledged":[3,5],"credit":true,"digest":18446744073709551615})");
  EXPECT_EQ(PutResultText(PutAnswer::kRefused, {3, 5}), R"({"refused":[3,5]})");
  EXPECT_EQ(PutResultText(Failed("no \"space\""), {3, 5}), R"({"failed":"no \"space\""})");
}

TEST(FlightTexts, AnswersBeginWithALine) {
  EXPECT_EQ(AnswerLine(3, QuestionEnd::kAnswered), "{\"block\":3}\n");
  EXPECT_EQ(AnswerLine(3, QuestionEnd::kLost, "gone"), "{\"block\":3,\"lost\":\"gone\"}\n");
  EXPECT_EQ(AnswerLine(3, QuestionEnd::kRefused, "a\n\xff"), "{\"block\":3,\"error\":\"a\\n\uFFFD\"}\n");
}

}  // namespace
}  // namespace howdah::feed::server
