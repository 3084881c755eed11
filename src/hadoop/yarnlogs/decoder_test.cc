#include "decoder.h"

#include <gtest/gtest.h>

#include <string_view>

namespace howdah::hadoop::yarnlogs {
namespace {

using std::string_view_literals::operator""sv;

// The expected bytes were written by org.apache.hadoop.io.file.tfile.Utils.writeVLong of Hadoop 3.4.3.
TEST(Decoder, VariableLengthIntegersMatchHadoop) {
  const struct {
    int64_t number;
    std::string_view bytes;
  } rows[] = {
      {int64_t{0}, "\x00"sv},
      {int64_t{127}, "\x7f"sv},
      {int64_t{128}, "\xcc\x80"sv},
      {int64_t{-1}, "\xff"sv},
      {int64_t{-32}, "\xe0"sv},
      {int64_t{-33}, "\xcb\xdf"sv},
      {int64_t{300}, "\xcd\x2c"sv},
      {int64_t{5119}, "\xdf\xff"sv},
      {int64_t{5120}, "\xa8\x14\x00"sv},
      {int64_t{-5120}, "\xb8\x00"sv},
      {int64_t{-5121}, "\xa7\xeb\xff"sv},
      {int64_t{1048575}, "\xb7\xff\xff"sv},
      {int64_t{1048576}, "\x90\x10\x00\x00"sv},
      {int64_t{-1048576}, "\x98\x00\x00"sv},
      {int64_t{-1048577}, "\x8f\xef\xff\xff"sv},
      {int64_t{134217727}, "\x97\xff\xff\xff"sv},
      {int64_t{134217728}, "\x83\x08\x00\x00\x00"sv},
      {int64_t{-134217728}, "\x88\x00\x00\x00"sv},
      {int64_t{-134217729}, "\x83\xf7\xff\xff\xff"sv},
      {int64_t{2147483647}, "\x83\x7f\xff\xff\xff"sv},
      {int64_t{2147483648}, "\x84\x00\x80\x00\x00\x00"sv},
      {int64_t{-2147483648}, "\x83\x80\x00\x00\x00"sv},
      {int64_t{-2147483649}, "\x84\xff\x7f\xff\xff\xff"sv},
      {int64_t{549755813887}, "\x84\x7f\xff\xff\xff\xff"sv},
      {int64_t{549755813888}, "\x85\x00\x80\x00\x00\x00\x00"sv},
      {int64_t{-549755813889}, "\x85\xff\x7f\xff\xff\xff\xff"sv},
      {int64_t{140737488355328}, "\x86\x00\x80\x00\x00\x00\x00\x00"sv},
      {int64_t{36028797018963967}, "\x86\x7f\xff\xff\xff\xff\xff\xff"sv},
      {int64_t{36028797018963968}, "\x87\x00\x80\x00\x00\x00\x00\x00\x00"sv},
      {INT64_MAX, "\x87\x7f\xff\xff\xff\xff\xff\xff\xff"sv},
      {INT64_MIN, "\x87\x80\x00\x00\x00\x00\x00\x00\x00"sv},
  };
  for (const auto& row : rows) {
    Decoder in(row.bytes);
    EXPECT_EQ(in.VLong(), row.number);
    EXPECT_TRUE(in.ok()) << row.number;
    EXPECT_EQ(in.left(), 0u) << row.number;
    for (size_t size = 0; size < row.bytes.size(); ++size) {
      Decoder cut(row.bytes.substr(0, size));
      cut.VLong();
      EXPECT_FALSE(cut.ok()) << row.number << " cut to " << size;
    }
  }
}

TEST(Decoder, InvalidFirstBytesAreRejected) {
  for (const std::string_view bytes : {"\x80\x01\x01\x01"sv, "\x81\x01\x01\x01"sv, "\x82\x01\x01\x01"sv}) {
    Decoder in(bytes);
    EXPECT_EQ(in.VLong(), 0);
    EXPECT_FALSE(in.ok());
  }
}

TEST(Decoder, DataOutputIsDecoded) {
  Decoder in("\xfe\x12\x34\xff\xff\xff\xfe\x80\x00\x00\x00\x00\x00\x00\x01\x00\x02hi\x03you"sv);
  EXPECT_EQ(in.U8(), 0xFE);
  EXPECT_EQ(in.U16(), 0x1234);
  EXPECT_EQ(in.I32(), -2);
  EXPECT_EQ(in.I64(), INT64_MIN + 1);
  EXPECT_EQ(in.Utf(), "hi");
  EXPECT_EQ(in.String(), "you");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.U8(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(Decoder, ReadsAfterInvalidReadReturnNothing) {
  Decoder in("abc");
  EXPECT_EQ(in.Bytes(4), "");
  EXPECT_EQ(in.Bytes(1), "");
  EXPECT_FALSE(in.ok());
  Decoder negative("abc");
  EXPECT_EQ(negative.Bytes(-1), "");
  EXPECT_FALSE(negative.ok());
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
