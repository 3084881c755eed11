// The agent's command line: "--name value" and "--name", nothing else; it is written by our own programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::agent {

class Flags {
 public:
  // with_value, switches: the names that may stand, with their dashes.
  static Result<Flags> Parse(const std::vector<std::string>& arguments, const std::vector<std::string>& with_value,
                             const std::vector<std::string>& switches);

  bool has(const std::string& name) const { return values_.contains(name); }
  // Empty if it is not there.
  std::string text(const std::string& name) const;
  // fallback if it is not there or no whole number.
  int number(const std::string& name, int fallback) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace howdah::agent
