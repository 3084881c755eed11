#include "run_series.h"

#include <gtest/gtest.h>

namespace howdah::portal {
namespace {

TEST(Band, IsTheMedianWithThreeMads) {
  struct Case {
    const char* what;
    std::vector<double> values;
    std::optional<Band> band;
  };
  const Case cases[] = {
      {"no values", {}, std::nullopt},
      {"too few values", {1, 2, 3}, std::nullopt},
      {"even number: the middle is between two values", {10, 12, 14, 16}, Band{13, 7, 19}},
      {"odd number, in any order", {50, 10, 40, 20, 30}, Band{30, 0, 60}},
      {"an outlier does not widen the band", {10, 10, 11, 12, 1000}, Band{11, 8, 14}},
      {"equal values: 1 % of the median", {200, 200, 200, 200}, Band{200, 198, 202}},
      {"negative values", {-4, -4, -4, -4}, Band{-4, -4.04, -3.96}},
      {"only zeros", {0, 0, 0, 0}, Band{0, 0, 0}},
  };
  for (const Case& each : cases) {
    const auto band = BandOf(each.values);
    ASSERT_EQ(band.has_value(), each.band.has_value()) << each.what;
    if (!band) continue;
    EXPECT_DOUBLE_EQ(band->median, each.band->median) << each.what;
    EXPECT_DOUBLE_EQ(band->low, each.band->low) << each.what;
    EXPECT_DOUBLE_EQ(band->high, each.band->high) << each.what;
  }
}

RunFigures RunOf(double took, bool succeeded = true) {
  return {.ended = true, .succeeded = succeeded, .values = {{"took_seconds", took}}};
}

TEST(Marks, RunOutsideTheBandIsMarked) {
  const std::vector<RunFigures> earlier = {RunOf(10), RunOf(12), RunOf(14), RunOf(16)};  // band 7 to 19
  struct Case {
    const char* what;
    RunFigures run;
    size_t marks;
    bool above;
  };
  const Case cases[] = {
      {"within", RunOf(19), 0, false},
      {"at the lower end", RunOf(7), 0, false},
      {"longer", RunOf(20), 1, true},
      {"shorter", RunOf(6), 1, false},
      {"failed early", RunOf(1, false), 0, false},
      {"failed late", RunOf(20, false), 1, true},
      {"still running, and longer", {.ended = false, .values = {{"took_seconds", 20}}}, 1, true},
      {"duration not known", {.ended = true, .succeeded = true}, 0, false},
  };
  for (const Case& each : cases) {
    const std::vector<BandMark> marks = MarksOf(each.run, earlier);
    ASSERT_EQ(marks.size(), each.marks) << each.what;
    if (marks.empty()) continue;
    EXPECT_EQ(marks[0].above, each.above) << each.what;
  }
}

TEST(Marks, BandFollowsFromTheNewestTenSuccessfulRuns) {
  std::vector<RunFigures> earlier;
  for (int i = 0; i < 5; ++i) earlier.push_back(RunOf(1000, /*succeeded=*/false));
  for (int i = 0; i < 10; ++i) earlier.push_back(RunOf(10));
  for (int i = 0; i < 90; ++i) earlier.push_back(RunOf(100));
  const std::vector<BandMark> marks = MarksOf(RunOf(100), earlier);
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].band.median, 10);
  EXPECT_TRUE(MarksOf(RunOf(10), earlier).empty());
}

TEST(Marks, MetricsOfUnsuccessfulRunsAreNotMarked) {
  const RunFigures usual{.ended = true, .succeeded = true, .values = {{"metric.loss", 0.5}}};
  const std::vector<RunFigures> earlier(5, usual);
  RunFigures run{.ended = true, .succeeded = true, .values = {{"metric.loss", 3}, {"metric.new", 1}}};
  EXPECT_EQ(MarksOf(run, earlier).size(), 1u);
  run.succeeded = false;
  EXPECT_TRUE(MarksOf(run, earlier).empty());
}

}  // namespace
}  // namespace howdah::portal
