// The runs of one name over time: which of them differ from the runs before them. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace howdah::portal {

// The figures of one run by name: "took_seconds", "cost", "goodput", "memory_peak_bytes.ROLE", "metric.NAME". A figure
// that is not known is absent.
struct RunFigures {
  bool ended = false, succeeded = false;
  std::map<std::string, double> values = {};
};

// The usual range of a figure: the median of earlier runs, plus and minus three times the median of their absolute
// deviations from it (MAD), and at least 1 % of the median.
struct Band {
  double median = 0, low = 0, high = 0;
  friend bool operator==(const Band&, const Band&) = default;
};

inline constexpr size_t kBandRuns = 10;       // the most runs that a band follows from
inline constexpr size_t kFewestBandRuns = 4;  // fewer runs have no band

// nullopt for fewer than kFewestBandRuns values. The values must be finite.
std::optional<Band> BandOf(std::vector<double> values);

// A figure of a run that is outside its band.
struct BandMark {
  std::string figure;
  double value = 0;
  Band band;
  bool above = false;
  friend bool operator==(const BandMark&, const BandMark&) = default;
};

// earlier: the runs before this one, newest first. The band of a figure follows from the newest kBandRuns of them that
// succeeded and have the figure. A run that has not succeeded is only marked for figures above the band, and not for
// metrics, because it may have ended early, or may not have ended.
std::vector<BandMark> MarksOf(const RunFigures& run, const std::vector<RunFigures>& earlier);

}  // namespace howdah::portal
