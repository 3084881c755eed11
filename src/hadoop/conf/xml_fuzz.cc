// Parses the input as an XML file of a Hadoop configuration.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/conf/services.h"

namespace howdah::hadoop::conf {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Configuration configuration({nullptr, "ann", "/home/ann"});
  const auto included = [](const std::string& path) -> Result<std::string> {
    return Error{ErrorCode::kNotFound, path};
  };
  if (!AddXml(configuration, "core-site.xml", text, included).ok()) return 0;
  WriteXml(configuration);
  static_cast<void>(ResourceManagers(configuration, RmService::kClient));
  static_cast<void>(FileSystemOf(configuration, ""));
  static_cast<void>(ResolveUri(configuration, "viewfs:///data/x"));
  return 0;
}

}  // namespace howdah::hadoop::conf
