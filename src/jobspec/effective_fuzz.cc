// Fuzzes the reader of job.json.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/jobspec/job_file.h"

namespace howdah::jobspec {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ReadEffective(text));
  return 0;
}

}  // namespace howdah::jobspec
