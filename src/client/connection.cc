#include "howdah/client/connection.h"

#include <optional>
#include <utility>

#include "howdah/backend/site.h"
#include "howdah/client/configuration.h"
#include "howdah/client/submitter.h"

namespace howdah::client {
namespace {

Result<std::string> Checked(const std::string& name, const std::string& origin) {
  if (name == "local" || name == "yarn") return name;
  return Error{ErrorCode::kUsage, origin + ": unknown backend '" + name + "'; write local or yarn"};
}

// The backend that the configuration file names; nullopt if it names none.
Result<std::optional<std::string>> ConfiguredBackend() {
  HOWDAH_TRY(const UserConfiguration configuration, ReadUserConfiguration());
  const jobspec::Configuration& settings = configuration.settings;
  if (!settings.on) return std::optional<std::string>();
  HOWDAH_TRY(std::string name, Checked(*settings.on, configuration.path + ":" + std::to_string(settings.on_line)));
  return std::optional<std::string>(std::move(name));
}

std::string AbsolutePath(const std::string& path, const std::string& configuration_file) {
  if (path.starts_with("~/")) return Variable("HOME").value_or("") + path.substr(1);
  if (path.starts_with("/")) return path;
  return configuration_file.substr(0, configuration_file.rfind('/') + 1) + path;
}

// Adds the configuration file to the flags. Its keytab counts only if nothing else says which keytab or principal to
// use.
Result<ClusterSettings> SettingsOf(const std::string& backend, const LoginFlags& flags) {
  ClusterSettings settings{.login = flags, .autoscaler = {}};
  if (backend != "yarn") return settings;
  HOWDAH_TRY(const UserConfiguration configuration, ReadUserConfiguration());
  settings.autoscaler = configuration.settings.autoscaler;
  const auto& configured = configuration.settings.kerberos;
  const bool is_given = !flags.keytab.empty() || !flags.principal.empty() || Variable("HOWDAH_KEYTAB");
  if (configured && !is_given) {
    settings.login.keytab = AbsolutePath(configured->keytab, configuration.path);
    settings.login.principal = configured->principal;
  }
  return settings;
}

}  // namespace

void Connection::UseKeytab(const jobspec::JobSpec& spec) {
  if (!spec.kerberos || !login_.keytab.empty() || !login_.principal.empty()) return;
  login_.keytab = spec.kerberos->keytab;
  login_.principal = spec.kerberos->principal;
}

Result<std::optional<std::string>> Connection::Chosen() const {
  const auto on = Variable("HOWDAH_ON");
  if (on_.empty() && (!on || on->empty())) return ConfiguredBackend();
  HOWDAH_TRY(std::string name, on_.empty() ? Checked(*on, "HOWDAH_ON") : Checked(on_, "--on"));
  return std::optional<std::string>(std::move(name));
}

Result<std::string> Connection::Backend() const {
  HOWDAH_TRY(const auto chosen, Chosen());
  return chosen.value_or("local");
}

Result<backend::Cluster*> Connection::Cluster() {
  HOWDAH_TRY(const std::string name, Backend());
  return ClusterOn(name);
}

Result<std::string> Connection::User() {
  HOWDAH_TRY(backend::Cluster* const cluster, Cluster());
  return cluster->site().User();
}

Result<backend::Cluster*> Connection::ClusterOn(const std::string& name) {
  std::unique_ptr<backend::Cluster>& cluster = clusters_[name];
  if (!cluster) {
    HOWDAH_TRY(const ClusterSettings settings, SettingsOf(name, login_));
    HOWDAH_TRY(cluster, make_cluster_(name, settings));
  }
  return cluster.get();
}

std::function<Result<std::unique_ptr<backend::Cluster>>()> Connection::MakerOf(const std::string& name) const {
  return [make_cluster = make_cluster_, login = login_, name]() -> Result<std::unique_ptr<backend::Cluster>> {
    HOWDAH_TRY(const ClusterSettings settings, SettingsOf(name, login));
    return make_cluster(name, settings);
  };
}

}  // namespace howdah::client
