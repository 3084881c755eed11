#include "block_digest.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::feed::server {
namespace {

// The numbers are those of the formula in digest.py, with zlib.crc32 of Python.
TEST(BlockDigest, IsThatOfThePythonPackage) {
  const auto digest = [](int64_t first_row, int64_t rows, const std::string& body) {
    return DigestOf(first_row, rows, CrcOfBody(body));
  };
  EXPECT_EQ(digest(0, 6, std::string(100, 'b')), 3227585302552803413U);
  EXPECT_EQ(digest(40, 5, "123456789"), 7954139842133407444U);
  EXPECT_EQ(digest((int64_t{1} << 40) - 1, 1, ""), 1070123204973438034U);
  EXPECT_EQ(digest(7, 10, std::string(1 << 20, 'b')), 2658874492567003923U);
}

TEST(BlockDigest, PartsOfTheBodyDoNotMatter) {
  const auto whole = std::make_shared<std::string>();
  for (int i = 0; i < 2000; ++i) *whole += std::to_string(i);
  std::vector<std::string_view> parts;
  for (size_t at = 0, size = 0; at < whole->size(); at += size, size = size * 2 + 1) {
    parts.push_back(std::string_view(*whole).substr(at, size));
  }
  EXPECT_GT(parts.size(), 10U);
  EXPECT_EQ(CrcOfBody(BlockBody(parts, whole)), CrcOfBody(*whole));
}

}  // namespace
}  // namespace howdah::feed::server
