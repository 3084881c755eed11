// Compares two runs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/configuration.h"
#include "howdah/journal/job_view.h"

namespace howdah::client {

// Flattens an effective job file to names and values, such as "roles.worker.memory" = "2GiB". Returns an error if the
// text is not a JSON object.
Result<std::vector<compat::tony::history::Setting>> SettingsOfJobFile(std::string_view json);
// The result of a job, as names and values.
std::vector<compat::tony::history::Setting> OutcomeOf(const journal::JobView& view);

struct Difference {
  std::string name;
  std::optional<std::string> before, after;  // nullopt if not set
  friend bool operator==(const Difference&, const Difference&) = default;
};
// Returns the settings that differ, sorted by name.
std::vector<Difference> Differences(const std::vector<compat::tony::history::Setting>& before,
                                    const std::vector<compat::tony::history::Setting>& after);

}  // namespace howdah::client
