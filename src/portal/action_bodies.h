// The JSON bodies of the portal's actions. Pure. The errors are kUsage, and say what to write instead.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::portal {

// The grace of a kill, from {"grace": "30s"}. nullopt if the body is empty or names none.
Result<std::optional<Duration>> GraceOf(const std::string& body);

struct ScaleOrder {
  std::string role;
  int instances = 0;
};
// Reads {"role": "worker", "instances": 4}.
Result<ScaleOrder> ScaleOrderOf(const std::string& body);

}  // namespace howdah::portal
