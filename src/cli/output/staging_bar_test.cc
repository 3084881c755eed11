#include "howdah/cli/output/staging_bar.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

TEST(StagingLine, ShowsBytesDoneAndTotal) {
  const int64_t mib = 1 << 20;
  EXPECT_EQ(StagingLine(0, 300 * mib), "staging  [------------------------------]  0 B of 300 MiB");
  EXPECT_EQ(StagingLine(150 * mib, 300 * mib), "staging  [###############---------------]  150 MiB of 300 MiB");
  EXPECT_EQ(StagingLine(400 * mib, 300 * mib), "staging  [##############################]  400 MiB of 300 MiB");
  EXPECT_EQ(StagingLine(7, 0), "staging  [------------------------------]  7 B of 0 B");
}

}  // namespace
}  // namespace howdah::cli::output
