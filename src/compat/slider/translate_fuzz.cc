// Translates an application of Slider. The input has its files, separated by lines with "---": resources.json,
// appConfig.json, and optionally metainfo.json.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "howdah/compat/slider/translate.h"
#include "howdah/compat/slider/ytensorflow.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::compat::slider {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string separator = "\n---\n";
  std::vector<std::string> files;
  for (size_t begin = 0; begin <= text.size() && files.size() < 3;) {
    const size_t end = files.size() == 2 ? text.size() : std::min(text.find(separator, begin), text.size());
    files.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  files.resize(3);
  Application application;
  application.name = "app";
  application.user = "ann";
  application.docker = files[0].size() % 2 == 0;
  application.maxima = {{"worker", 8}, {"A", 3}};
  ReadTree tree = ReadConfTree({"resources.json", files[0]});
  application.resources = std::move(tree.tree);
  application.problems = std::move(tree.problems);
  application.app_config = ReadConfTree({"appConfig.json", files[1]}).tree;
  if (!files[2].empty()) application.metainfo = ReadMetainfo({"metainfo.json", files[2]}).metainfo;
  application.package.path = "/pkg";
  application.package.zipped = files[1].size() % 2 == 0;
  application.package.path_kind = [](const std::string& inside) {
    return inside.ends_with("gz") ? keyfile::PathKind::kFile : keyfile::PathKind::kDirectory;
  };
  const common::Translation translation = Translate(application, [] {
    return std::optional<Largest>({int64_t{8} << 30, 4});
  });
  if (translation.problems.empty()) jobspec::WriteEffective(translation.job);
  ReadTensorflowCluster({"config.json", files[0]}, "");
  return 0;
}

}  // namespace howdah::compat::slider
