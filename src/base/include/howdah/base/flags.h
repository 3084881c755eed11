// Parses the command lines with which Howdah's programs start each other: "--name value" and "--name", nothing else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah {

class Flags {
 public:
  // with_value: the accepted flags that need a value. switches: the accepted flags without a value. Both lists include
  // the dashes. Every error is a kUsage error.
  static Result<Flags> Parse(const std::vector<std::string>& arguments, const std::vector<std::string>& with_value,
                             const std::vector<std::string>& switches);

  bool has(const std::string& name) const { return values_.contains(name); }
  // Returns "" if the flag is absent.
  std::string text(const std::string& name) const;
  // Returns fallback if the flag is absent or not a whole number.
  int number(const std::string& name, int fallback) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace howdah
