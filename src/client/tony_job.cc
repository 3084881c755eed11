#include "howdah/client/tony_job.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "howdah/client/job_request.h"
#include "howdah/client/submitter.h"
#include "howdah/compat/tony/config/configuration.h"
#include "howdah/os/files/files.h"
#include "howdah/storage/files.h"

namespace howdah::client {
namespace {

namespace config = compat::tony::config;

constexpr size_t kMostRead = size_t{16} << 20;
constexpr char kSiteDirectory[] = "/export/apps/tony/conf";  // TonY's default for $TONY_CONF_DIR

hadoop::conf::Environment HadoopEnvironment() {
  return {.variable = Variable, .user_name = UserName(), .user_home = Variable("HOME").value_or("")};
}

Result<std::string> ReadLocal(const std::string& path) { return os::files::ReadFile(path); }

// Finds tony.xml in the first directory of the class path that has it. The class path is $CLASSPATH, then the current
// directory, which is Java's default.
std::optional<config::ConfigurationFile> OnClassPath() {
  const std::string class_path = Variable("CLASSPATH").value_or("") + ":.";
  for (size_t begin = 0; begin < class_path.size();) {
    const size_t end = std::min(class_path.find(':', begin), class_path.size());
    const std::string directory = class_path.substr(begin, end - begin);
    begin = end + 1;
    if (directory.empty()) continue;
    const std::string path = directory == "." ? "tony.xml" : directory + "/tony.xml";
    if (auto text = ReadLocal(path); text.ok()) return config::ConfigurationFile{path, std::move(*text)};
  }
  return std::nullopt;
}

Result<std::string> ReadUri(Connection& connection, const std::string& uri) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const auto files, cluster->OpenFiles(uri));
  return files->Read(storage::PathOfUri(uri), kMostRead);
}

// Lists the files of a remote directory; none if the URI is a file.
Result<std::vector<std::string>> FilesIn(Connection& connection, std::string uri) {
  while (uri.ends_with('/')) uri.pop_back();
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const auto files, cluster->OpenFiles(uri));
  const std::string path = storage::PathOfUri(uri);
  const size_t slash = path.rfind('/');
  const auto siblings = files->List(slash == 0 ? "/" : path.substr(0, slash));
  if (!siblings.ok()) return siblings.error().While("looking for " + uri);
  const auto self = std::find_if(siblings->begin(), siblings->end(),
                                 [&](const auto& entry) { return entry.name == path.substr(slash + 1); });
  if (self == siblings->end()) return Error{ErrorCode::kNotFound, uri + " does not exist"};
  std::vector<std::string> inside;
  if (!self->directory) return inside;
  const auto list = files->List(path);
  if (!list.ok()) return list.error().While("listing " + uri);
  for (const storage::Files::Entry& entry : *list) {
    if (!entry.directory) inside.push_back(uri + "/" + entry.name);
  }
  return inside;
}

Result<std::vector<config::ConfigurationFile>> ConfigurationFiles(Connection& connection, const config::Flags& flags) {
  std::vector<config::ConfigurationFile> files;
  if (flags.conf_file.find("://") != std::string::npos && !flags.conf_file.starts_with("file://")) {
    auto text = ReadUri(connection, flags.conf_file);
    if (!text.ok()) return text.error().While("-conf_file");
    files.push_back({flags.conf_file, std::move(*text)});
  } else if (!flags.conf_file.empty()) {
    const std::string path = flags.conf_file.starts_with("file://") ? flags.conf_file.substr(7) : flags.conf_file;
    auto text = ReadLocal(path);
    if (!text.ok()) return Error{ErrorCode::kUsage, "-conf_file: " + text.error().message};
    files.push_back({path, std::move(*text)});
  } else if (auto file = OnClassPath()) {
    files.push_back(std::move(*file));
  }
  const std::string site = Variable("TONY_CONF_DIR").value_or(kSiteDirectory) + "/tony-site.xml";
  auto text = ReadLocal(site);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (text.ok()) files.push_back({site, std::move(*text)});
  return files;
}

Result<config::Facts> FactsHere(Connection& connection, const std::string& on) {
  HOWDAH_TRY(const jobspec::SubmitHost here, SubmitHostHere(""));
  config::Facts facts;
  facts.directory = here.directory;
  facts.path_kind = here.path_kind;
  facts.on_cluster = on == "yarn";
  facts.executable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  facts.list = [&connection](const std::string& uri) { return FilesIn(connection, uri); };
  return facts;
}

}  // namespace

Result<TranslatedJob> ReadTonyJob(Connection& connection, const config::Flags& flags, const std::string& on) {
  HOWDAH_TRY(const auto files, ConfigurationFiles(connection, flags));
  HOWDAH_TRY(const auto configuration, config::ReadConfiguration(flags, files, HadoopEnvironment(), ReadLocal));
  HOWDAH_TRY(const config::Facts facts, FactsHere(connection, on));
  return CheckTranslation(config::Translate(flags, configuration, facts), "tony");
}

}  // namespace howdah::client
