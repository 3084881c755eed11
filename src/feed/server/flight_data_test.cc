#include "flight_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test_flight.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;

// The bytes as a message in slices of this size.
grpc::ByteBuffer InSlices(const std::string& bytes, size_t size) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += size) slices.emplace_back(bytes.substr(at, size));
  return {slices.data(), slices.size()};
}

std::string BytesOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

TEST(FlightData, MessageIsReadFromSlicesOfAnySize) {
  for (const size_t body_bytes : {0, 1, 300, 100'000}) {
    const std::string body(body_bytes, 'b');
    const ArrowBlock block = TestBlock(7, 3, body);
    const std::string bytes = BytesOf(EncodeBlock(block));
    flight::FlightData parsed;
    ASSERT_TRUE(parsed.ParseFromString(bytes));
    EXPECT_EQ(parsed.data_body(), body);
    for (const size_t size : {size_t{1}, size_t{3}, size_t{1000}, bytes.size()}) {
      const auto received = DecodeData(InSlices(bytes, size));
      ASSERT_TRUE(received);
      EXPECT_EQ(received->data.data_header(), block.header);
      EXPECT_EQ(received->data.app_metadata(), PutMetadata(block));
      EXPECT_TRUE(received->data.data_body().empty());
      EXPECT_TRUE(received->body == body);
    }
  }
}

TEST(FlightData, LargeBodyIsNotCopied) {
  const std::string body(1 << 20, 'b');
  const grpc::ByteBuffer message = InSlices(BytesOf(EncodeBlock(TestBlock(0, 1, body))), 8192);
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(message.Dump(&slices).ok());
  const auto received = DecodeData(message);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->body.parts().back().data(), reinterpret_cast<const char*>(slices.back().begin()));
  const auto copy = BytesOf(EncodeBlock({"", received->body, 0, 1}));
  EXPECT_EQ(copy.substr(copy.size() - body.size()), body);
}

TEST(FlightData, LastBodyCountsWhateverTheOrderOfTheFields) {
  flight::FlightData first, second;
  first.set_data_body("first");
  first.set_app_metadata("metadata");
  second.set_data_body("second");
  second.set_data_header("header");
  second.mutable_flight_descriptor()->set_cmd("command");
  const auto received = DecodeData(InSlices(first.SerializeAsString() + second.SerializeAsString(), 4));
  ASSERT_TRUE(received);
  EXPECT_EQ(received->body, "second");
  EXPECT_EQ(received->data.app_metadata(), "metadata");
  EXPECT_EQ(received->data.data_header(), "header");
  EXPECT_EQ(received->data.flight_descriptor().cmd(), "command");
}

TEST(FlightData, DamagedMessageIsNotRead) {
  const std::string bytes = BytesOf(EncodeBlock(TestBlock(7, 3, std::string(300, 'b'))));
  for (size_t size = 1; size < bytes.size(); ++size) {
    flight::FlightData parsed;
    EXPECT_EQ(DecodeData(InSlices(bytes.substr(0, size), 16)).has_value(),
              parsed.ParseFromString(bytes.substr(0, size)))
        << size;
  }
  EXPECT_FALSE(DecodeData(InSlices("\xc2\x3e\xff\xff\xff\xff\x7f", 16))) << "a body of 32 GiB";
  EXPECT_FALSE(DecodeData(InSlices("\x0b", 16))) << "a group";
}

}  // namespace
}  // namespace howdah::feed::server
