#include "howdah/os/files/last_lines.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

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

TEST(LastLines, BufferGivesSameResultForAnyPieces) {
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{300'000}, size_t{1'000'000}}) {
    std::string text;
    for (int i = 0; text.size() < 900'000; ++i) text += std::string(static_cast<size_t>(i % 200), 'x') + "\n";
    text += "unterminated";
    for (const int64_t lines : {0, 1, 3, 2000, 100'000}) {
      LastLinesBuffer buffer(lines);
      for (size_t at = 0; at < text.size(); at += piece) buffer.Add(std::string_view(text).substr(at, piece));
      EXPECT_TRUE(buffer.text() == LastLines(text, lines)) << piece << " " << lines;
    }
  }
}

TEST(LastLines, BufferIsBoundedWithoutNewlines) {
  LastLinesBuffer buffer(3);
  const std::string piece(128 << 10, 'x');
  size_t most = 0;
  for (int i = 0; i < 800; ++i) {  // 100 MiB in total
    buffer.Add(piece);
    most = std::max(most, buffer.held_bytes());
  }
  EXPECT_LE(most, size_t{32} << 20);
  EXPECT_GE(buffer.text().size(), size_t{16} << 20);
}

}  // namespace
}  // namespace howdah::os::files
