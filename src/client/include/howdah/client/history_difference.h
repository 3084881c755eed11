// Compares runs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/configuration.h"
#include "howdah/journal/job_view.h"

namespace howdah::client {

// The values of variables that look like secrets: replaced by kHidden, or kept because the caller hides them later.
enum class Secrets { kHide, kKeep };

// Flattens an effective job file to names and values, such as "roles.worker.memory" = "2GiB". A file is named by its
// path in the working directory ("files[data.csv].from"), so that an additional file does not rename the others.
// Returns an error if the text is not a JSON object.
Result<std::vector<compat::tony::history::Setting>> SettingsOfJobFile(std::string_view json,
                                                                      Secrets secrets = Secrets::kHide);
// The result of a job, as names and values, without its tasks.
std::vector<compat::tony::history::Setting> JobOutcomeOf(const journal::JobView& view);
// The same, and the results of the tasks.
std::vector<compat::tony::history::Setting> OutcomeOf(const journal::JobView& view);

// The part of a run that a setting belongs to.
enum class SettingKind { kJobFile, kEnvironment, kFiles, kBackend, kVersions };
SettingKind KindOf(std::string_view name);
std::string_view ToText(SettingKind kind);  // "job file", "environment", "files", "backend", "versions"

// One setting of several runs.
struct Compared {
  std::string name;
  // By run; nullopt if the run does not have the setting. The value of a secret is kHidden.
  std::vector<std::optional<std::string>> values;
  bool same = false;  // whether all runs have the same value; decided before secrets are hidden
  friend bool operator==(const Compared&, const Compared&) = default;
};
// Returns every setting of the runs once, sorted by name.
std::vector<Compared> Compare(const std::vector<std::vector<compat::tony::history::Setting>>& runs);

struct Difference {
  std::string name;
  std::optional<std::string> before, after;  // nullopt if not set
  friend bool operator==(const Difference&, const Difference&) = default;
};
// Returns the settings that differ according to Compare, sorted by name.
std::vector<Difference> Differences(const std::vector<compat::tony::history::Setting>& before,
                                    const std::vector<compat::tony::history::Setting>& after);

}  // namespace howdah::client
