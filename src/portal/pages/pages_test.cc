#include "howdah/portal/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace howdah::portal::pages {
namespace {

// The content of a gzip stream, or nothing if the stream is damaged or has other bytes behind it.
std::string Decompressed(std::string_view gzip) {
  std::string text(4 << 20, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const bool complete = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  text.resize(complete ? stream.total_out : 0);
  inflateEnd(&stream);
  return text;
}

TEST(PageFiles, UnknownPathIsNull) {
  EXPECT_EQ(FindPageFile("assets/../index.html"), nullptr);
  EXPECT_EQ(FindPageFile(""), nullptr);
}

TEST(PageFiles, EveryFileIsCompleteGzipWithTypeAndHash) {
  for (const PageFile& file : PageFiles()) {
    SCOPED_TRACE(file.path);
    EXPECT_EQ(FindPageFile(file.path), &file);
    EXPECT_FALSE(Decompressed(file.gzip).empty());
    EXPECT_THAT(std::string(file.content_type), testing::MatchesRegex("(text|image)/.*"));
    EXPECT_EQ(file.hash.size(), 64);
  }
}

TEST(PageFiles, IndexNamesItsImmutableAssets) {
  const PageFile* index = FindPageFile("index.html");
  if (index == nullptr) GTEST_SKIP() << "built without the pages";
  EXPECT_FALSE(index->immutable);
  const std::string html = Decompressed(index->gzip);
  int immutable = 0;
  for (const PageFile& file : PageFiles()) {
    if (!file.immutable) continue;
    ++immutable;
    EXPECT_THAT(html, testing::HasSubstr("\"/" + std::string(file.path) + "\""));
  }
  EXPECT_EQ(immutable, 2) << "one script and one style sheet";
  EXPECT_THAT(html, testing::Not(testing::HasSubstr("<style"))) << "the content security policy forbids inline code";
}

}  // namespace
}  // namespace howdah::portal::pages
