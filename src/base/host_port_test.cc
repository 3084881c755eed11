#include "howdah/base/host_port.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(HostPort, HostAndPortAreParsed) {
  struct {
    const char* text;
    HostPort expected;
  } const cases[] = {{"rm1.example.com:8032", {"rm1.example.com", 8032}},
                     {"10.0.0.7:0", {"10.0.0.7", 0}},
                     {"[::1]:8032", {"::1", 8032}},
                     {"0.0.0.0:65535", {"0.0.0.0", 65535}}};
  for (const auto& c : cases) {
    const auto parsed = ParseHostPort(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(*parsed, c.expected);
    EXPECT_EQ(parsed->Text(), c.text);
  }
  for (const char* wrong :
       {"", "rm1", ":8032", "rm1:", "rm1:x", "rm1:65536", "rm1:-1", "rm1:80x", "[]:80", "[[a]]:80", "a]:80"}) {
    const auto parsed = ParseHostPort(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace howdah
