#include "howdah/portal/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <map>
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

TEST(PageFiles, EachDocumentNamesItsScriptsAndOneStyleSheet) {
  if (PageFiles().empty()) GTEST_SKIP() << "built without the pages";
  const auto named = [](const char* document) {
    const PageFile* file = FindPageFile(document);
    EXPECT_FALSE(file == nullptr || file->immutable);
    const std::string html = file == nullptr ? "" : Decompressed(file->gzip);
    EXPECT_THAT(html, testing::Not(testing::HasSubstr("<style"))) << "the content security policy forbids inline code";
    std::map<std::string, int> types;
    for (const PageFile& other : PageFiles()) {
      if (other.immutable && html.find("\"/" + std::string(other.path) + "\"") != std::string::npos)
        ++types[std::string(other.content_type)];
    }
    return types;
  };
  const auto list = named("index.html"), job = named("job.html");
  EXPECT_THAT(list, testing::UnorderedElementsAre(testing::Pair(testing::HasSubstr("javascript"), testing::Ge(1)),
                                                  testing::Pair(testing::HasSubstr("css"), 1)));
  EXPECT_GT(job.begin()->second + job.rbegin()->second, list.begin()->second + list.rbegin()->second)
      << "the document of a job names the scripts of this page too";
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
