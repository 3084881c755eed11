#include "exports.h"

#include <gmock/gmock.h>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class Exports : public testing::Test {
 protected:
  Result<jobspec::EnvVars> Find(const std::string& output, const jobspec::EnvVars& wanted) {
    EXPECT_TRUE(os::files::WriteFileAtomically(scratch_ / "stdout", output).ok());
    return FindExports(scratch_ / "stdout", wanted);
  }
  // Returns the value of the variable "P", which follows "P: " in the output.
  std::string Value(const std::string& output) {
    const auto found = Find(output, {{"P", "P: "}});
    return !found.ok() ? found.error().message : found->empty() ? "(none)" : found->front().second;
  }
  os::files::Scratch scratch_;
};

TEST_F(Exports, ValueIsTheRestOfTheFirstLineWithTheText) {
  const struct {
    const char* output;
    const char* value;
  } kCases[] = {
      {"", "(none)"},
      {"P:\nP :\n", "(none)"},
      {"before\nINFO P: {\"lr\": 0.1, \"n\": [1]}\nP: second\n", "{\"lr\": 0.1, \"n\": [1]}"},
      {"P: without an end", "without an end"},
      {"P: of Windows\r\nx\n", "of Windows"},
      {"P: \nP: x\n", ""},
      {"P: P: x\n", "P: x"},
      {"P: \xff\xfe stays\n", "\xff\xfe stays"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Value(c.output), c.value) << c.output;
}

TEST_F(Exports, VariablesKeepTheRequestedOrder) {
  const auto found = Find("B=2\nA=1\n", {{"A", "A="}, {"NOT_THERE", "C="}, {"B", "B="}, {"AGAIN", "A="}});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(*found, ElementsAre(Pair("A", "1"), Pair("B", "2"), Pair("AGAIN", "1")));
}

TEST_F(Exports, TextAndValueAreFoundAcrossReadBoundaries) {
  const std::string value(40'000, 'v');
  for (const size_t before : {0, 1, 3, 20'000, 39'999, 40'002}) {
    EXPECT_EQ(Value(std::string((size_t{1} << 20) - before, '.') + "P: " + value + "\nrest\n"), value) << before;
  }
}

TEST_F(Exports, ValueTooLongOrWithZeroByteIsAnError) {
  const std::string most(kExportsLimit - 1, 'v');
  EXPECT_EQ(Value("P: " + most + "\n"), most);
  EXPECT_EQ(Value("P: " + most + "v\n"),
            "the value after 'P: ' (exports.P) is too long: the limit for all exported variables together is 64 KiB");
  EXPECT_THAT(Value("P: " + std::string(5 << 20, 'v')), HasSubstr("is too long"));
  EXPECT_EQ(Value(std::string("P: a\0b\n", 7)),
            "the value after 'P: ' (exports.P) contains a zero byte, which an environment variable cannot hold");
  const auto two = Find("A=" + most + "\nB=" + most + "\n", {{"A", "A="}, {"B", "B="}});
  EXPECT_THAT(two.error().message, HasSubstr("(exports.B) is too long"));
}

TEST_F(Exports, OutputReplacedByPipeIsAnErrorAndDoesNotBlock) {
  ASSERT_EQ(os::files::Shell(scratch_, "mkfifo pipe"), 0);
  EXPECT_THAT(FindExports(scratch_ / "pipe", {{"P", "P: "}}).error().message, HasSubstr("pipe: it is a FIFO"));
}

TEST_F(Exports, ValueAfterTheFirst64MiBIsNotFound) {
  const std::string much(kExportsSearched, '.');
  EXPECT_EQ(Value("P: early\n" + much), "early");
  EXPECT_EQ(Value(much + "\nP: late\n"), "'P: ' (exports.P) is not in the first 64 MiB of the output");
}

}  // namespace
}  // namespace howdah::executor
