#include "howdah/client/source_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/os/files/testing.h"

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

TEST(SourceNotes, FilesOfCommandsThatAreNotCopiedAreNamed) {
  const os::files::Scratch source;
  ASSERT_TRUE(os::files::MakeDirectories(source / "data").ok());
  for (const char* name : {"data/a.csv", "data/b.csv"})
    ASSERT_TRUE(os::files::WriteFileAtomically(source / name, "1").ok());
  jobspec::JobSpec spec;
  spec.source = source.path();
  spec.files = {{"/elsewhere/b.csv", "data/b.csv", false}};
  spec.roles.resize(2);
  spec.roles[0].name = "list";
  spec.roles[0].command.argv = {"python3", "train.py", "--data=./data/a.csv", "data/b.csv", "data/new.csv"};
  spec.roles[1].name = "text";
  spec.roles[1].command.shell = "cat data/a.csv; python3 train.py --data 'data/a.csv'";
  const jobspec::LeftOut left_out{{"data"}, ".gitignore"};
  const std::string why = ".command: " + left_out.Explain("data/a.csv").value();
  EXPECT_THAT(LeftOutOfCommands(spec, left_out), ElementsAre("roles.list" + why, "roles.text" + why));
  EXPECT_THAT(LeftOutOfCommands(spec, {}), IsEmpty());
}

}  // namespace
}  // namespace howdah::client
