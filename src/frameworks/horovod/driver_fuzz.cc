// Parses the input as the plan of the user's own Horovod driver.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/frameworks/horovod/driver.h"

namespace howdah::frameworks::horovod {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto plan = ReadDriverPlan(text);
  if (!plan.ok()) return 0;
  for (const RankAssignment& slot : *plan) {
    if (!VariablesFromPlan(*plan, slot.host, 0, 1).ok()) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::frameworks::horovod
