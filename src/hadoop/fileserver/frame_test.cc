#include "frame.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "howdah/hadoop/fileserver/serve.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::hadoop::fileserver {
namespace {

using ::testing::HasSubstr;

// A pipe that contains these bytes and then ends.
os::files::Fd PipeWith(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const os::files::Fd writer(ends[1]);
  EXPECT_TRUE(os::files::WriteAll(writer.get(), bytes, "the pipe").ok());
  return os::files::Fd(ends[0]);
}

TEST(Frame, WrittenFramesAreReadUntilTheEnd) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const os::files::Fd reader(ends[0]);
  os::files::Fd writer(ends[1]);
  ASSERT_TRUE(WriteFrame(writer.get(), "{}", std::string("a\0b", 3)).ok());
  ASSERT_TRUE(WriteFrame(writer.get(), "", "").ok());
  writer.Close();
  const auto first = ReadFrame(reader.get());
  ASSERT_TRUE(first.ok() && *first);
  EXPECT_EQ((*first)->header, "{}");
  EXPECT_EQ((*first)->payload, std::string("a\0b", 3));
  const auto second = ReadFrame(reader.get());
  ASSERT_TRUE(second.ok() && *second);
  EXPECT_EQ((*second)->header + (*second)->payload, "");
  const auto end = ReadFrame(reader.get());
  EXPECT_TRUE(end.ok() && !*end);
}

TEST(Frame, IncompleteFrameIsAnError) {
  const std::string whole = WriteSizes(2, 3) + "{}abc";
  for (size_t length = 1; length < whole.size(); ++length) {
    const auto frame = ReadFrame(PipeWith(whole.substr(0, length)).get());
    ASSERT_FALSE(frame.ok()) << length;
    EXPECT_EQ(frame.error().message, "the input ended within a request");
  }
}

TEST(Frame, SizesAboveTheLimitsAreErrors) {
  EXPECT_TRUE(ParseSizes(WriteSizes(kMaxHeader, kMaxPayload)).ok());
  for (const std::string& prefix : {WriteSizes(kMaxHeader + 1, 0), WriteSizes(0, kMaxPayload + 1),
                                    std::string("GET / HT"), std::string(8, '\xff')}) {
    const auto frame = ReadFrame(PipeWith(prefix).get());
    ASSERT_FALSE(frame.ok());
    EXPECT_THAT(frame.error().message, HasSubstr("the limits are 262144 and 16777216"));
  }
}

}  // namespace
}  // namespace howdah::hadoop::fileserver
