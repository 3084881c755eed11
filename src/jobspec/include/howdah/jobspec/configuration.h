// The user's configuration file, and the prices of hardware in it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_file.h"

namespace howdah::jobspec {

// Prices for one hour; nullopt if not set.
struct HardwarePrice {
  std::optional<double> vcore_hour, gib_hour, gpu_hour;
  friend bool operator==(const HardwarePrice&, const HardwarePrice&) = default;
};

struct Prices {
  std::string currency;  // such as "EUR"
  HardwarePrice usual;
  // The prices of nodes with a label, by label. For a price that is not set here, the price in `usual` applies.
  std::map<std::string, HardwarePrice> labels;
  friend bool operator==(const Prices&, const Prices&) = default;
};

// The content of ~/.config/howdah/config.yaml.
struct Configuration {
  std::optional<std::string> on;  // the backend, not checked
  int on_line = 0;                // the line of `on`
  std::optional<Prices> prices;
};

template <typename T>
struct Parsed {
  T value;                        // valid only if problems is empty
  std::vector<Problem> problems;  // all problems, in the order of the file
};

// file: the name to use in messages. Time and memory are bounded for any text up to kLongestConfiguration. A longer
// text is reported as a problem.
inline constexpr size_t kLongestConfiguration = size_t{64} << 10;
Parsed<Configuration> ParseConfiguration(std::string_view yaml, const std::string& file);
// Parses a file that contains only prices: `{currency, vcore_hour, gib_hour, gpu_hour, labels: {LABEL: {…}}}`.
Parsed<Prices> ParsePrices(std::string_view yaml, const std::string& file);

}  // namespace howdah::jobspec
