#include "howdah/hadoop/yarnlogs/locations.h"

#include <algorithm>
#include <cstdio>

#include "decoder.h"
#include "howdah/base/number.h"

namespace howdah::hadoop::yarnlogs {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// The names in a comma-separated list, trimmed, without the names that Hadoop rejects.
std::vector<std::string> NamesOf(std::string_view list) {
  const auto is_name = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<std::string> names;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_name)) names.emplace_back(name);
  }
  return names;
}

// The bucket of an application (LogAggregationUtils.getRemoteBucketDir): the last four digits of its number. Returns an
// empty text if `application` is not an application id.
std::string BucketOf(std::string_view application) {
  constexpr std::string_view kPrefix = "application_";
  const size_t at = application.rfind('_');
  if (application.substr(0, kPrefix.size()) != kPrefix || at < kPrefix.size()) return "";
  const auto number = ParseNumber<uint32_t>(application.substr(at + 1));
  if (!number) return "";
  char text[8];
  std::snprintf(text, sizeof text, "%04u", *number % 10'000);
  return text;
}

}  // namespace

std::vector<std::string> LogDirectories(const ConfigurationValue& configuration, const std::string& user,
                                        std::string_view application) {
  const std::string bucket = BucketOf(application);
  if (bucket.empty()) return {};
  const auto value = [&configuration](const std::string& key, const std::string& otherwise) {
    const std::optional<std::string> found = configuration(key);
    return found && !found->empty() ? *found : otherwise;
  };
  std::vector<std::string> formats = NamesOf(value("yarn.log-aggregation.file-formats", "TFile"));
  formats.insert(formats.end(), {"TFile", "IFile"});
  const std::string root = value("yarn.nodemanager.remote-app-log-dir", "/tmp/logs");
  const std::string suffix = value("yarn.nodemanager.remote-app-log-dir-suffix", "logs");
  std::vector<std::string> directories, older;
  const auto add = [](std::vector<std::string>& to, std::string directory) {
    if (std::find(to.begin(), to.end(), directory) == to.end()) to.push_back(std::move(directory));
  };
  for (const std::string& format : formats) {
    const std::string keys = "yarn.log-aggregation." + format + ".remote-app-log-dir";
    std::string of_user = value(keys, root);
    if (!EndsWith(of_user, "/")) of_user += '/';
    of_user += user + "/";
    const std::string own_suffix = value(keys + "-suffix", suffix + "-" + LowerCase(format));
    add(directories, of_user + "bucket-" + own_suffix + "/" + bucket + "/" + std::string(application));
    add(older, of_user + own_suffix + "/" + std::string(application));
    add(older, of_user + suffix + "/" + std::string(application));  // of Hadoop versions without a suffix per format
  }
  for (std::string& directory : older) add(directories, std::move(directory));
  return directories;
}

std::vector<std::string> LogFilesOf(std::string_view node, const std::vector<std::string>& names) {
  std::string wanted(node);
  std::replace(wanted.begin(), wanted.end(), ':', '_');
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (name.empty() || EndsWith(name, ".tmp") || EndsWith(name, ".har") || EndsWith(name, kChecksumSuffix)) continue;
    // If the log was uploaded while the application ran, its name has a time after the node: host_port_1795285645199.
    const bool is_of_node =
        wanted.empty() || name == wanted ||
        (name.size() > wanted.size() && name.compare(0, wanted.size(), wanted) == 0 && name[wanted.size()] == '_');
    if (is_of_node) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Checksum> ParseChecksum(std::string_view bytes) {
  Decoder in(bytes);
  Checksum checksum;
  checksum.name = std::string(in.Bytes(in.I32()));
  checksum.end = in.I64();
  if (!in.ok() || checksum.end < 0) return Failed("the checksum file of aggregated logs is damaged: it ends early");
  return checksum;
}

}  // namespace howdah::hadoop::yarnlogs
