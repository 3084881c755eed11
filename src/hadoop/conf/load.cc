#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "howdah/hadoop/conf/configuration.h"

namespace howdah::hadoop::conf {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr std::array kFiles = {"core-site.xml", "yarn-site.xml", "resource-types.xml", "hdfs-site.xml"};

Error CannotRead(const std::string& path) {
  const ErrorCode code = errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kUsage;
  return {code, "reading " + path + ": " + std::strerror(errno)};
}

Result<std::string> ReadXmlFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path);
  std::string bytes;
  char buffer[16384];
  ssize_t count = 0;
  while ((count = ::read(fd, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0) bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > kMaxBytes) break;
  }
  const Error error = CannotRead(path);
  ::close(fd);
  if (count < 0) return error;
  if (bytes.size() > kMaxBytes) return Error{ErrorCode::kUsage, "reading " + path + ": larger than 64 MiB"};
  return bytes;
}

bool IsDirectory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

struct Candidate {
  std::string path, because;
};

// Selects the configuration directory. Uses the first variable that is set, even if its directory does not exist, so
// that a wrong directory is reported and not silently replaced by the next one.
Candidate Named(const Environment& environment) {
  const auto variable = [&](const std::string& name) {
    const auto value = environment.variable ? environment.variable(name) : std::nullopt;
    return value.value_or("");
  };
  for (const char* name : {"HADOOP_CONF_DIR", "YARN_CONF_DIR"}) {
    if (const std::string value = variable(name); !value.empty()) return {value, std::string("$") + name};
  }
  if (const std::string home = variable("HADOOP_HOME"); !home.empty()) {
    return {home + "/etc/hadoop", "$HADOOP_HOME/etc/hadoop"};
  }
  return {"/etc/hadoop/conf", "neither HADOOP_CONF_DIR, YARN_CONF_DIR nor HADOOP_HOME is set"};
}

Error NoConfiguration(const Candidate& candidate, const std::string& what) {
  return Error::WithRemedy(ErrorCode::kUsage,
                           "reading Hadoop's configuration: " + what + " (" + candidate.because + ")",
                           "set HADOOP_CONF_DIR to the directory with the cluster's core-site.xml and yarn-site.xml");
}

}  // namespace

Result<std::string> ConfigurationDirectory(const Environment& environment) {
  const Candidate candidate = Named(environment);
  if (!IsDirectory(candidate.path)) return NoConfiguration(candidate, "there is no directory " + candidate.path);
  return candidate.path;
}

Result<Configuration> LoadSslClient(const Configuration& configuration) {
  Configuration ssl(configuration.environment());
  const auto directory = ConfigurationDirectory(configuration.environment());
  if (!directory) return ssl;  // a node of a cluster may have none
  const std::string name = configuration.Text("hadoop.ssl.client.conf", "ssl-client.xml");
  const std::string path = name.starts_with('/') ? name : *directory + (directory->ends_with('/') ? "" : "/") + name;
  const auto xml = ReadXmlFile(path);
  if (!xml && xml.error().code == ErrorCode::kNotFound) return ssl;
  if (!xml) return xml.error().While("reading Hadoop's configuration");
  HOWDAH_TRY_STATUS(AddXml(ssl, path, *xml, ReadXmlFile));
  return ssl;
}

Result<Configuration> LoadConfiguration(const Environment& environment) {
  HOWDAH_TRY(const auto directory, ConfigurationDirectory(environment));
  Configuration configuration(environment);
  bool any = false;
  for (const char* name : kFiles) {
    const std::string path = directory + (directory.ends_with('/') ? "" : "/") + name;
    const auto xml = ReadXmlFile(path);
    if (!xml && xml.error().code == ErrorCode::kNotFound) continue;
    if (!xml) return xml.error().While("reading Hadoop's configuration");
    any = true;
    HOWDAH_TRY_STATUS(AddXml(configuration, path, *xml, ReadXmlFile));
  }
  if (any) return configuration;
  return NoConfiguration(Named(environment), directory +
                                                 " has none of core-site.xml, yarn-site.xml, "
                                                 "resource-types.xml, hdfs-site.xml");
}

}  // namespace howdah::hadoop::conf
