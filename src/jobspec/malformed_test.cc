// Invalid and hostile job files. Each must result in problems or a job, and must not end the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "howdah/jobspec/init_job.h"
#include "howdah/keyfile/parse.h"
#include "testing.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

using testing::Machine;

std::string Repeated(const std::string& piece, size_t bytes) {
  std::string text;
  while (text.size() + piece.size() <= bytes) text += piece;
  return text;
}

// Checks any text: problems must have lines of the file and be in order, and an accepted job must survive writing and
// reading back.
void CheckAnything(const std::string& text) {
  const ParsedJob job = ParseJobFile(text, Machine());
  const int lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  int last = 0;
  for (const Problem& problem : job.problems) {
    ASSERT_LE(problem.line, lines) << problem.ToText() << "\n" << text.substr(0, 2000);
    ASSERT_TRUE(problem.line >= last || problem.line == 0) << problem.ToText();
    ASSERT_EQ(problem.ToText().find('\n'), std::string::npos) << problem.ToText();
    last = problem.line;
  }
  if (!job.problems.empty()) return;
  JobSpec effective = job.spec;
  effective.relative_directories.clear();  // not part of the effective job
  const Result<JobSpec> read = ReadEffective(WriteEffective(job.spec));
  ASSERT_TRUE(read.ok()) << read.error().message << "\n" << text;
  ASSERT_EQ(read.value(), effective) << text;
  const ParsedJob again = ParseJobFile(DescribeEffective(job.spec), Machine());
  ASSERT_TRUE(again.problems.empty()) << again.problems[0].ToText() << "\n"
                                      << text << "\n"
                                      << DescribeEffective(job.spec);
  ASSERT_EQ(again.spec, effective) << text;
}

// Large files that consist of one repeated piece. Some parsers need quadratic time or deep recursion for these.
TEST(Malformed, RepeatedPiecesAreHarmless) {
  constexpr size_t kSize = 1 << 17;
  for (const char* piece :
       {"[", "{",     "[\n",       "- ",    "? ", "{a: ",  "[a, ",    "[?",           "{? ",   "[a,",          "[]",
        "x", "x\n  ", "#",         "# a\n", " ",  "\n",    "\t",      "&a ",          "!t ",   "- &a b\n",     "]",
        "}", "'",     "\"",        ": ",    ":",  ",",     "%a\n",    "---\n",        "...\n", "a: b\n",       "|\n",
        ">", "*a ",   "\r",        "\\",    "$",  "${A:-", "roles: ", "\xef\xbb\xbf", "é",     "a: &a [*a]\n", "<<: ",
        "@", "`",     "k: |\n x\n"}) {
    SCOPED_TRACE(piece);
    CheckAnything(Repeated(piece, kSize));
    CheckAnything("roles: " + Repeated(piece, kSize - 16));
    CheckAnything("name: \"" + Repeated(piece, kSize - 16) + "\"");
  }
  std::string tags;
  for (int i = 0; tags.size() < kSize - 32; ++i) tags += "%TAG !" + std::to_string(i) + "! a\n";
  CheckAnything(tags + "---\na: b\n");
  std::string anchors = "tags:\n";
  for (int i = 0; anchors.size() < kSize - 32; ++i) anchors += "- &a" + std::to_string(i) + " b\n";
  CheckAnything(anchors);
}

TEST(Malformed, ThousandsOfProblemsAreHarmless) {
  std::string keys, roles = "roles:\n", cycle = "roles:\n";
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    keys += "k" + n + ": ${NO" + n + "}\n";
    roles += "  k" + n + ": {memory: 1GiB, command: x, after: [z" + n + "]}\n";
    cycle += "  k" + n + ": {memory: 1GiB, command: x, after: [k" + std::to_string((i + 1) % 3000) + "]}\n";
  }
  CheckAnything(keys);
  CheckAnything(roles);
  CheckAnything(cycle);
}

TEST(Malformed, AliasesThatExpandTooFarAreRejected) {
  std::string roles = "roles:\n  r0: &r\n    memory: 1GiB\n    command: date\n    env: {";
  for (int i = 0; i < 1000; ++i) roles += "V" + std::to_string(i) + ": x, ";
  roles += "}\n";
  for (int i = 1; i < 1000; ++i) roles += "  r" + std::to_string(i) + ": *r\n";
  const ParsedJob job = ParseJobFile(roles, Machine());
  ASSERT_EQ(job.problems.size(), 1u);
  EXPECT_EQ(job.problems[0].text, "the aliases expand to more than 20000 values");
}

std::vector<std::string> ValidFiles() {
  std::vector<std::string> files;
  for (const std::string& name : testing::ContractFiles()) files.push_back(testing::ContractText(name));
  for (const Framework f : {Framework::kPlain, Framework::kPytorch, Framework::kTensorflow, Framework::kJax}) {
    files.push_back(InitJobFile(f));
  }
  files.push_back(WriteEffective(ParseJobFile(files.front(), Machine()).spec));
  return files;
}

// Tries prefixes of valid files, and valid files without one of their lines.
TEST(Malformed, TruncatedFilesAreHarmless) {
  for (const std::string& good : ValidFiles()) {
    for (size_t size = 0; size < good.size(); size += 5) CheckAnything(good.substr(0, size));
    for (size_t at = 0; at < good.size();) {
      const size_t end = good.find('\n', at) + 1;
      CheckAnything(good.substr(0, at) + good.substr(end));
      at = end == 0 ? good.size() : end;
    }
  }
}

const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> pieces = {"\n",
                                                  "  ",
                                                  "\t",
                                                  ": ",
                                                  "- ",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  ",",
                                                  "#",
                                                  "'",
                                                  "\"",
                                                  "&a ",
                                                  "*a",
                                                  "!!str ",
                                                  "|\n",
                                                  ">-\n",
                                                  "? ",
                                                  "---\n",
                                                  "...\n",
                                                  "%YAML 1.2\n",
                                                  "~",
                                                  "-1",
                                                  "0",
                                                  "99999999999",
                                                  "${X}",
                                                  "$$",
                                                  "${N:-",
                                                  "\\x00",
                                                  "\\u00e9",
                                                  "\xff",
                                                  "\xf0\x9f\x9a\x80",
                                                  std::string(1, '\0'),
                                                  "<<: *a",
                                                  "GiB",
                                                  "ms",
                                                  "roles:\n",
                                                  "after: [worker]\n",
                                                  "instances: {min: 3, max: 1}\n",
                                                  "chief: true\n",
                                                  "\xef\xbb\xbf",
                                                  "\r\n",
                                                  "\xc2\x85",
                                                  "\xe2\x80\xa8"};
  return pieces;
}

// Tries random changes of valid files, from a fixed seed.
TEST(Malformed, MutatedFilesAreHarmless) {
  constexpr int kRounds = 2000;
  constexpr uint32_t kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::vector<std::string> good = ValidFiles();
  for (int round = 0; round < kRounds; ++round) {
    std::string text = good[below(good.size())];
    for (size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
      const size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.insert(at, Pieces()[below(Pieces().size())]);
          break;
        case 2:
          text.erase(at, 1 + below(8));
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
        default: {
          const std::string& other = good[below(good.size())];
          text.replace(at, below(20), other.substr(below(other.size()), below(40)));
        }
      }
    }
    CheckAnything(text);
    if (HasFatalFailure()) FAIL() << "round " << round;
    if (ReadEffective(text).ok()) continue;  // the text may be valid or invalid; only a crash is an error
  }
}

}  // namespace
}  // namespace howdah::jobspec
