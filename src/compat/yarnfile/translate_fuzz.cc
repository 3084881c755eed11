// Translates a Yarnfile, writes the job file and reads it back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/compat/yarnfile/translate.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::compat::yarnfile {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Request request;
  request.file = "web.json";
  request.user = "ann";
  request.directory = "/here";
  request.on_cluster = size % 2 == 0;
  request.path_kind = [](const std::string&) { return keyfile::PathKind::kMissing; };
  const TranslatedService service = Translate({reinterpret_cast<const char*>(data), size}, request);
  for (const auto& [name, address] : service.quicklinks) {
    ResolveHosts(address, [](const std::string&, int) { return std::string("node1"); });
  }
  if (!service.translation.problems.empty()) return 0;
  // Some names, such as those of resources and images, are checked only with the job file.
  (void)jobspec::ReadEffective(jobspec::WriteEffective(service.translation.job));
  return 0;
}

}  // namespace howdah::compat::yarnfile
