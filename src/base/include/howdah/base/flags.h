// Command lines of our own programs among themselves: "--name value" and "--name", nothing else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah {

class Flags {
 public:
  // with_value, switches: the accepted names, with their dashes. An error is one of usage.
  static Result<Flags> Parse(const std::vector<std::string>& arguments, const std::vector<std::string>& with_value,
                             const std::vector<std::string>& switches);

  bool has(const std::string& name) const { return values_.contains(name); }
  // Empty if the flag is absent.
  std::string text(const std::string& name) const;
  // fallback if the flag is absent or not a whole number.
  int number(const std::string& name, int fallback) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace howdah
