#include "run_series.h"

#include <algorithm>
#include <cmath>

namespace howdah::portal {
namespace {

double MedianOf(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Band> BandOfFigure(const std::string& figure, const std::vector<RunFigures>& earlier) {
  std::vector<double> values;
  for (const RunFigures& run : earlier) {
    if (values.size() == kBandRuns) break;
    const auto value = run.values.find(figure);
    if (run.succeeded && value != run.values.end()) values.push_back(value->second);
  }
  return BandOf(std::move(values));
}

}  // namespace

std::optional<Band> BandOf(std::vector<double> values) {
  if (values.size() < kFewestBandRuns) return std::nullopt;
  const double median = MedianOf(values);
  for (double& value : values) value = std::abs(value - median);
  constexpr double kDeviations = 3, kLeastShare = 0.01;
  const double reach = std::max(kDeviations * MedianOf(values), kLeastShare * std::abs(median));
  return Band{median, median - reach, median + reach};
}

std::vector<BandMark> MarksOf(const RunFigures& run, const std::vector<RunFigures>& earlier) {
  std::vector<BandMark> marks;
  for (const auto& [figure, value] : run.values) {
    if (!run.succeeded && figure.starts_with("metric.")) continue;
    const auto band = BandOfFigure(figure, earlier);
    if (!band) continue;
    const bool above = value > band->high;
    if (above || (run.succeeded && value < band->low)) marks.push_back({figure, value, *band, above});
  }
  return marks;
}

}  // namespace howdah::portal
