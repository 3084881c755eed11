#include "howdah/os/files/last_lines.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace howdah::os::files {
namespace {

TEST(LastLines, TextAndFileGiveSameResult) {
  EXPECT_EQ(LastLines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(LastLines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(LastLines("a\n", 5), "a\n");
  EXPECT_EQ(LastLines("a\n", 0), "");
  EXPECT_EQ(LastLines("", 3), "");
  EXPECT_EQ(LastLines("\n\n", 1), "\n");
  for (const std::string text : {"a\nb\nc\n", "a\nb\nc", "", "\n\n", "x"}) {
    for (int64_t lines = 0; lines < 5; ++lines) {
      char name[] = "/tmp/howdah-tail-XXXXXX";
      const int fd = mkstemp(name);
      unlink(name);
      ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      EXPECT_EQ(text.substr(static_cast<size_t>(*OffsetOfLastLines(fd, lines))), LastLines(text, lines))
          << text << lines;
      close(fd);
    }
  }
}

}  // namespace
}  // namespace howdah::os::files
