// Reads and translates a Skein specification.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "howdah/compat/skeinspec/translate.h"

namespace howdah::compat::skeinspec {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  keyfile::Host host;
  host.file_name = "spec.yaml";
  host.directory = "/work";
  const auto read = ReadSpecification({reinterpret_cast<const char*>(data), size}, host);
  if (!read.problems.empty()) return 0;
  const common::Translation translation = Translate(read.value, "spec.yaml");
  // A valid specification starts something.
  if (translation.job.roles.empty()) std::abort();
  return 0;
}

}  // namespace howdah::compat::skeinspec
