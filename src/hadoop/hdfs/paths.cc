#include "paths.h"

#include <algorithm>

#include "howdah/hadoop/hdfs/open.h"

namespace howdah::hadoop::hdfs {

Result<std::string> CleanPath(const std::string& path) {
  const auto wrong = [&](const char* why) { return Error{ErrorCode::kUsage, "the path '" + path + "' " + why}; };
  if (!path.starts_with('/')) return wrong("does not begin with '/'");
  if (path.find('\0') != std::string::npos) return wrong("has a zero byte");
  std::string clean;
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part == "..") return wrong("has '..' in it");
    if (!part.empty() && part != ".") clean += "/" + part;
    begin = end + 1;
  }
  return clean.empty() ? "/" : clean;
}

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string PathOf(const std::string& uri) {
  const size_t colon = uri.find(':');
  if (colon == std::string::npos || uri.find('/') < colon) return uri;
  if (uri.compare(colon, 3, "://") != 0) return uri.substr(colon + 1);
  const size_t slash = uri.find('/', colon + 3);
  return slash == std::string::npos ? "/" : uri.substr(slash);
}

}  // namespace howdah::hadoop::hdfs
