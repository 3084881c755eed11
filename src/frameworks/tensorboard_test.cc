#include "howdah/frameworks/tensorboard.h"

#include <gtest/gtest.h>

namespace howdah::frameworks {
namespace {

TEST(TensorBoard, AddressIsReadFromTheAnnouncement) {
  const struct {
    const char *output, *address;
    int port;
  } kCases[] = {
      {"TensorBoard 2.21.0 at http://localhost:6006/ (Press CTRL+C to quit)\n", "http://localhost:6006/", 6006},
      {"W0101 a warning http://example.com/\nTensorBoard 2.21.0 at http://127.0.0.1:40123/ (Press",
       "http://127.0.0.1:40123/", 40123},
      {"TensorBoard 2.21.0 at http://[::1]:40123/ (Press", "http://[::1]:40123/", 40123},
      {"TensorBoard 2.21.0 at http://localhost:60", "", 0},
      {"http://localhost:6006/ ", "", 0},
      {"", "", 0},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(TensorBoardAddress(c.output), c.address) << c.output;
    EXPECT_EQ(PortOf(c.address), c.port) << c.output;
  }
  EXPECT_EQ(PortOf("http://localhost/"), 0);
  EXPECT_EQ(PortOf("http://localhost:99999/"), 0);
}

}  // namespace
}  // namespace howdah::frameworks
