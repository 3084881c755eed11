#include "howdah/portal/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

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

TEST(PageFiles, IndexNamesAScriptAndAStyleSheet) {
  const PageFile* index = FindPageFile("index.html");
  if (index == nullptr) GTEST_SKIP() << "built without the pages";
  EXPECT_FALSE(index->immutable);
  const std::string html = Decompressed(index->gzip);
  std::vector<std::string> named;
  for (const PageFile& file : PageFiles()) {
    if (file.immutable && html.find("\"/" + std::string(file.path) + "\"") != std::string::npos)
      named.emplace_back(file.content_type);
  }
  EXPECT_THAT(named, testing::UnorderedElementsAre(testing::HasSubstr("javascript"), testing::HasSubstr("css")));
  EXPECT_THAT(html, testing::Not(testing::HasSubstr("<style"))) << "the content security policy forbids inline code";
}

TEST(PageFiles, EachImmutableFileIsNamedByAnotherOne) {
  for (const PageFile& file : PageFiles()) {
    if (!file.immutable) continue;
    const std::string name(file.path.substr(file.path.rfind('/') + 1));
    const auto names_it = [&](const PageFile& other) {
      return &other != &file && Decompressed(other.gzip).find("/" + name + "\"") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(PageFiles(), names_it)) << name;
  }
}

}  // namespace
}  // namespace howdah::portal::pages
