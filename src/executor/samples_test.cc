#include "samples.h"

#include <gtest/gtest.h>

namespace howdah::executor {
namespace {

TEST(Samples, AverageAndPeakAreComputed) {
  const struct {
    std::vector<double> values;
    double average, peak;
  } rows[] = {{{}, 0, 0},        {{0}, 0, 0},          {{7}, 7, 7},
              {{1, 5, 3}, 3, 5}, {{8, 0, 0, 0}, 2, 8}, {{3e12, 5e12}, 4e12, 5e12}};
  for (const auto& row : rows) {
    Samples samples;
    for (const double value : row.values) samples.Add(value);
    EXPECT_EQ(samples.empty(), row.values.empty());
    EXPECT_DOUBLE_EQ(samples.average(), row.average);
    EXPECT_DOUBLE_EQ(samples.peak(), row.peak);
  }
}

TEST(GpuSamples, EveryGpuOfEveryAnswerCounts) {
  GpuSamples samples;
  samples.Add({});
  EXPECT_TRUE(samples.utilisation.empty());
  samples.Add({{0, 0.5, 10, 40}, {1, 1.0, 30, 40}});
  samples.Add({{0, 0.0, 20, 40}, {1, 0.5, 40, 40}});
  EXPECT_DOUBLE_EQ(samples.utilisation.average(), 0.5);
  EXPECT_DOUBLE_EQ(samples.utilisation.peak(), 1.0);
  EXPECT_DOUBLE_EQ(samples.memory.average(), 0.625);
  EXPECT_DOUBLE_EQ(samples.memory.peak(), 1.0);
}

TEST(GpuSamples, GpuWithoutMemorySizeHasNoMemoryShare) {
  GpuSamples samples;
  samples.Add({{0, 0.25, 10, 0}});
  EXPECT_DOUBLE_EQ(samples.utilisation.peak(), 0.25);
  EXPECT_TRUE(samples.memory.empty());
}

}  // namespace
}  // namespace howdah::executor
