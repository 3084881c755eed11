// The user's configuration file: the backend, the login, the autoscaler of the cluster, and the prices of hardware.
// Pure.
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

// With which keytab to use clusters with Kerberos.
struct KeytabLogin {
  std::string principal;  // empty: the first one of the keytab
  std::string keytab;     // a path as written: absolute, "~/...", or relative to the file's directory
  friend bool operator==(const KeytabLogin&, const KeytabLogin&) = default;
};

// The content of ~/.config/howdah/config.yaml.
struct Configuration {
  std::optional<std::string> on;  // the backend, not checked
  int on_line = 0;                // the line of `on`
  std::optional<Prices> prices;
  std::optional<KeytabLogin> kerberos;
  std::string autoscaler;  // URI or path of the file that the cluster's autoscaler publishes; "" if there is none
};

template <typename T>
struct Parsed {
  T value;                                 // valid only if problems is empty
  std::vector<keyfile::Problem> problems;  // all problems, in the order of the file
};

// file: the name to use in messages. Time and memory are bounded for any text up to kLongestConfiguration. A longer
// text is reported as a problem.
inline constexpr size_t kLongestConfiguration = size_t{64} << 10;
Parsed<Configuration> ParseConfiguration(std::string_view yaml, const std::string& file);
// Parses a file that contains only prices: `{currency, vcore_hour, gib_hour, gpu_hour, labels: {LABEL: {…}}}`.
Parsed<Prices> ParsePrices(std::string_view yaml, const std::string& file);

}  // namespace howdah::jobspec
