#include "howdah/client/source_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(SourceNotes, SmallSourceWithoutRulesNeedsNoNote) {
  EXPECT_THAT(SourceNotes("/src", {10, 100 * kMiB, {{"data/", 100 * kMiB}}, {".git"}, ""}), IsEmpty());
}

TEST(SourceNotes, LargeSourceNamesItsLargestEntries) {
  EXPECT_THAT(SourceNotes("/src", {20'023,
                                   1536 * kMiB,
                                   {{"data/", 1024 * kMiB}, {"logs/", 500 * kMiB}, {"a", 11 * kMiB}, {"b", kMiB}},
                                   {},
                                   ""}),
              ElementsAre("source /src: copying 1.5 GiB in 20023 files; largest: data/ 1 GiB, logs/ 500 MiB, a 11 MiB; "
                          "to leave files out, list them in a .howdahignore file (same syntax as .gitignore)"));
}

TEST(SourceNotes, ExcludedFilesAreNamedWithTheirRuleFile) {
  EXPECT_THAT(
      SourceNotes("/src", {1, 1, {}, {".git", "data", "out", "x.pt", "y.pt"}, ".gitignore"}),
      ElementsAre(
          "source /src: .gitignore leaves out .git, data, out and 2 more; a .howdahignore file replaces its rules"));
  EXPECT_THAT(SourceNotes("/src", {1, 1, {}, {"data"}, ".howdahignore"}),
              ElementsAre("source /src: .howdahignore leaves out data"));
  EXPECT_THAT(SourceNotes("/src", {1, 1, {}, {}, ".gitignore"}), IsEmpty());
}

}  // namespace
}  // namespace howdah::client
