#include "howdah/jobspec/left_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::jobspec {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LeftOut, RuleAndRemedyAreNamed) {
  const std::vector<std::string> paths = {".venv", "data", "logs/a.txt"};
  const LeftOut git{paths, ".gitignore"}, own{paths, ".howdahignore"}, none{{".venv"}, ""};
  EXPECT_EQ(git.Explain("data/train.csv"),
            "data/train.csv was not copied from the source, because .gitignore leaves out data: to copy it, copy "
            ".gitignore to .howdahignore and add the line `!data` there");
  EXPECT_EQ(own.Explain("logs/a.txt"),
            "logs/a.txt was not copied from the source, because .howdahignore leaves out logs/a.txt: to copy it, add "
            "the line `!logs/a.txt` to .howdahignore");
  EXPECT_EQ(none.Explain(".venv/bin/python"),
            ".venv/bin/python was not copied from the source, because .venv is left out by default: to copy it, write "
            "the line `!.venv` into a file .howdahignore");
  EXPECT_NE(git.Explain("data/"), std::nullopt);
  for (const char* path : {"", "/", "data.csv", "dat", "logs", "x/data"}) EXPECT_EQ(git.Explain(path), std::nullopt);
}

TEST(LeftOut, EncodedTextIsDecoded) {
  const LeftOut left_out{{"a b", "data"}, ".gitignore"};
  EXPECT_EQ(LeftOut::Decode(left_out.Encode()), left_out);
  const LeftOut by_default{{".git"}, ""};
  EXPECT_EQ(LeftOut::Decode(by_default.Encode()), by_default);
  EXPECT_EQ(LeftOut().Encode(), "");
  EXPECT_EQ(LeftOut::Decode(""), LeftOut());
  const LeftOut many{std::vector<std::string>(10'000, "name"), ""};
  EXPECT_LE(many.Encode().size(), size_t{16} << 10);
}

TEST(LeftOut, PossiblePathsAreWordsWithoutQuotes) {
  EXPECT_THAT(PossiblePaths("python3 ./train.py --data='data/a.csv'; cat x|y"),
              ElementsAre("python3", "train.py", "--data", "data/a.csv", "cat", "x", "y"));
  EXPECT_THAT(PossiblePaths(" ;; "), IsEmpty());
}

}  // namespace
}  // namespace howdah::jobspec
