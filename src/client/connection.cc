#include "howdah/client/connection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"

namespace howdah::client {
namespace {

Result<std::string> Checked(const std::string& name, const std::string& origin) {
  if (name == "local" || name == "yarn") return name;
  return Error{ErrorCode::kUsage, origin + ": unknown backend '" + name + "'; write local or yarn"};
}

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\"'");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\"'") + 1 - begin));
}

std::string ConfigurationPath() {
  if (const auto base = Variable("XDG_CONFIG_HOME")) return *base + "/howdah/config.yaml";
  return Variable("HOME").value_or("") + "/.config/howdah/config.yaml";
}

// Reads the configuration file. Its only key is `on: BACKEND`. Returns nullopt if the key is not set.
Result<std::optional<std::string>> ConfiguredBackend(const std::string& path) {
  const auto text = os::files::ReadFile(path, size_t{64} << 10);
  if (!text.ok()) {
    if (text.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
    return text.error();
  }
  std::optional<std::string> backend;
  int number = 0;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    std::string line = text->substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = Trimmed(line.substr(0, line.find('#')));
    if (line.empty() || line == "---") continue;
    const size_t colon = line.find(':');
    const std::string origin = path + ":" + std::to_string(number);
    if (colon == std::string::npos || Trimmed(line.substr(0, colon)) != "on") {
      return Error{ErrorCode::kUsage, origin + ": unknown setting '" + line + "'; write `on: local` or `on: yarn`"};
    }
    HOWDAH_TRY(backend, Checked(Trimmed(line.substr(colon + 1)), origin));
  }
  return backend;
}

}  // namespace

Result<std::optional<std::string>> Connection::Chosen() const {
  const auto on = Variable("HOWDAH_ON");
  if (on_.empty() && (!on || on->empty())) return ConfiguredBackend(ConfigurationPath());
  HOWDAH_TRY(std::string name, on_.empty() ? Checked(*on, "HOWDAH_ON") : Checked(on_, "--on"));
  return std::optional<std::string>(std::move(name));
}

Result<backend::Cluster*> Connection::Cluster() {
  HOWDAH_TRY(const auto chosen, Chosen());
  return ClusterOn(chosen.value_or("local"));
}

Result<backend::Cluster*> Connection::ClusterOn(const std::string& name) {
  std::unique_ptr<backend::Cluster>& cluster = clusters_[name];
  if (!cluster) {
    HOWDAH_TRY(cluster, make_cluster_(name));
  }
  return cluster.get();
}

}  // namespace howdah::client
