#include "run_differences.h"

#include "howdah/client/history_difference.h"

namespace howdah::portal {

Result<Json> DifferencesFrom(backend::Cluster& cluster, const JobId& before, const JobId& id) {
  const auto settings = [&](const JobId& of) -> Result<std::vector<compat::tony::history::Setting>> {
    HOWDAH_TRY(const std::string text, cluster.JobFile(of));
    return client::SettingsOfJobFile(text, client::Secrets::kKeep);
  };
  HOWDAH_TRY(const auto old_settings, settings(before));
  HOWDAH_TRY(const auto new_settings, settings(id));
  Json differences = Json::array();
  for (const client::Difference& difference : client::Differences(old_settings, new_settings)) {
    differences.push_back({{"name", difference.name},
                           {"before", difference.before ? Json(*difference.before) : Json(nullptr)},
                           {"after", difference.after ? Json(*difference.after) : Json(nullptr)}});
  }
  return Json{{"id", before.text}, {"differences", std::move(differences)}};
}

}  // namespace howdah::portal
