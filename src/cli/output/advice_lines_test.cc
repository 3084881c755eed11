#include "howdah/cli/output/advice_lines.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

using Lines = std::vector<std::string>;

advice::Finding FindingOf(jobspec::AdviceCheck check, const std::string& text) {
  return {.check = check, .role = "worker", .text = text};
}

TEST(AdviceLines, AtMostTwoLinesAreShown) {
  journal::JobView view;
  view.id = "job-1";
  EXPECT_EQ(AdviceLines(view, {}), Lines());
  const advice::Finding a = FindingOf(jobspec::AdviceCheck::kRounding, "a"),
                        b = FindingOf(jobspec::AdviceCheck::kTail, "b");
  EXPECT_EQ(AdviceLines(view, {a}), Lines({"a (`howdah advise job-1` shows what to change)"}));
  EXPECT_EQ(AdviceLines(view, {a, b}), Lines({"a", "b (`howdah advise job-1` shows what to change)"}));
  EXPECT_EQ(AdviceLines(view, {a, b, a}), Lines({"a", "b (`howdah advise job-1` shows 1 more)"}));
  view.advice = "the newest checkpoint is step-3";
  EXPECT_EQ(AdviceLines(view, {a, b}), Lines({"a (`howdah advise job-1` shows 1 more)"}));
}

TEST(AdviceLines, AdviceOfTheJobIsNotRepeated) {
  journal::JobView view;
  view.advice = "worker:1 used 9 GiB of memory but requested 8 GiB; a cluster with memory limits kills such a task";
  advice::Finding under = FindingOf(jobspec::AdviceCheck::kMemoryUnder, "the same");
  under.task = "worker:1";
  EXPECT_EQ(AdviceLines(view, {under}), Lines());
  under.task = "worker:2";
  EXPECT_EQ(AdviceLines(view, {under}).size(), 1u);
}

TEST(AdviceLines, ControlCharactersAreRemoved) {
  journal::JobView view;
  view.id = "job-1";
  EXPECT_EQ(AdviceLines(view, {FindingOf(jobspec::AdviceCheck::kLost, "x\x1b[31m")}).front().find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace howdah::cli::output
