#include "howdah/base/ids.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(TaskId, TextHasRoleAndIndex) {
  EXPECT_EQ((TaskId{2, 13}).Text("worker"), "worker:13");
  EXPECT_EQ(TaskText("ps", 0), "ps:0");
}

}  // namespace
}  // namespace howdah
