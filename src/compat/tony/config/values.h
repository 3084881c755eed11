// Reads the values of TonY's keys by type. An invalid value is recorded as a problem.
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
  // Splits at commas and trims. Returns nullopt if the key is not set.
  std::optional<std::vector<std::string>> List(const std::string& key) const;
  int Number(const std::string& key, int fallback);
  bool Bool(const std::string& key, bool fallback);
  // Reads a number of `unit`s. Returns nullopt if the key is not set, or if the number is 0 or negative, which means no
  // limit.
  std::optional<Duration> Limit(const std::string& key, Duration unit);
  // Parses "2g", "512m" or "512". A number without a unit is in MiB.
  int64_t Memory(const std::string& key, int64_t fallback);
  // Reports a problem with the key's value. The message names the key, its origin and its value.
  void Fail(const std::string& key, const std::string& text);
  void Fail(std::string text) { problems_.push_back(std::move(text)); }

  const hadoop::conf::Configuration& configuration() const { return configuration_; }

 private:
  const hadoop::conf::Configuration& configuration_;
  std::vector<std::string>& problems_;
};

}  // namespace howdah::compat::tony::config
