// The values of TonY's keys by type; an invalid value becomes a problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/hadoop/conf/configuration.h"

namespace howdah::compat::tony::config {

class Values {
 public:
  Values(const hadoop::conf::Configuration& configuration, std::vector<std::string>& problems)
      : configuration_(configuration), problems_(problems) {}

  // Whether the key has a value that is not empty.
  bool IsSet(const std::string& key) const { return !Text(key).empty(); }
  std::string Text(const std::string& key, const std::string& fallback = "") const;
  // Split at commas, trimmed; nullopt: not set.
  std::optional<std::vector<std::string>> List(const std::string& key) const;
  int Number(const std::string& key, int fallback);
  bool Bool(const std::string& key, bool fallback);
  // A number of `unit`s above 0; nullopt: not set, or off.
  std::optional<Duration> Limit(const std::string& key, Duration unit);
  // "2g", "512m", "512": MiB without a unit.
  int64_t Memory(const std::string& key, int64_t fallback);
  // Reports a problem of the key, with its origin and value.
  void Fail(const std::string& key, const std::string& text);
  void Fail(std::string text) { problems_.push_back(std::move(text)); }

  const hadoop::conf::Configuration& configuration() const { return configuration_; }

 private:
  const hadoop::conf::Configuration& configuration_;
  std::vector<std::string>& problems_;
};

}  // namespace howdah::compat::tony::config
