#include "howdah/base/flags.h"

#include <algorithm>

#include "howdah/base/number.h"

namespace howdah {

Result<Flags> Flags::Parse(const std::vector<std::string>& arguments, const std::vector<std::string>& with_value,
                           const std::vector<std::string>& switches) {
  const auto is_one_of = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Flags flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (is_one_of(switches, name)) {
      flags.values_[name] = "";
    } else if (!is_one_of(with_value, name)) {
      return Error{ErrorCode::kUsage, "unknown argument " + name};
    } else if (i + 1 == arguments.size()) {
      return Error{ErrorCode::kUsage, name + " needs a value"};
    } else {
      flags.values_[name] = arguments[++i];
    }
  }
  return flags;
}

std::string Flags::text(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? "" : it->second;
}

int Flags::number(const std::string& name, int fallback) const {
  return ParseNumber<int>(text(name)).value_or(fallback);
}

}  // namespace howdah
