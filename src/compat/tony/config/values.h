// The values of TonY's keys, each read as what it is; what cannot be read becomes a problem.
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

  // Whether somebody has set it to more than nothing.
  bool IsSet(const std::string& key) const { return !Text(key).empty(); }
  std::string Text(const std::string& key, const std::string& fallback = "") const;
  // By comma, trimmed; nullopt: not set.
  std::optional<std::vector<std::string>> List(const std::string& key) const;
  int Number(const std::string& key, int fallback);
  bool Bool(const std::string& key, bool fallback);
  // A number that is more than 0, of milliseconds or seconds; nullopt: it is not set, or off.
  std::optional<Duration> Limit(const std::string& key, Duration unit);
  // "2g", "512m", "512": MiB without a unit.
  int64_t Memory(const std::string& key, int64_t fallback);
  // A problem of the key: where it stands, its value, and the sentence.
  void Fail(const std::string& key, const std::string& text);
  void Fail(std::string text) { problems_.push_back(std::move(text)); }

  const hadoop::conf::Configuration& configuration() const { return configuration_; }

 private:
  const hadoop::conf::Configuration& configuration_;
  std::vector<std::string>& problems_;
};

}  // namespace howdah::compat::tony::config
