// tony-final.xml: a job's configuration, in the format of TonY's tools and Hadoop's Configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"

namespace howdah::compat::tony::history {

struct Setting {
  std::string name, value;
  std::string source;  // the file or flag that set the value; empty if unknown
  bool is_final = false;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// Settings that Howdah adds, because TonY's file names cannot contain these values.
inline constexpr char kJobIdSetting[] = "howdah.job.id";
inline constexpr char kUserSetting[] = "howdah.user";
inline constexpr char kBackendSetting[] = "howdah.on";

// Returns the job file's `history.configuration`. Without that key, describes the job in TonY's keys: name, framework,
// queue, and each role's instances, memory, vcores, gpus and command. The settings above are added in both cases.
// `submitted` is a view of the whole journal or of its first entry.
std::vector<Setting> SettingsOf(const jobspec::JobSpec& spec, const journal::JobView& submitted);

// The inverse, as far as TonY's keys describe a job: its name, framework, queue and tags, and each role's instances,
// memory, vcores, gpus and command. A value that cannot be read keeps its default; memory is then 0.
jobspec::JobSpec SpecOf(const std::vector<Setting>& settings);

std::string WriteConfiguration(const std::vector<Setting>& settings);
// Returns the settings in the order of the file. If a name occurs several times, the last one counts. As in TonY,
// properties without name or value are skipped. An error means invalid XML and names the line.
Result<std::vector<Setting>> ReadConfiguration(std::string_view xml);

// The value of a setting, or "" if it is not set.
std::string ValueOf(const std::vector<Setting>& settings, std::string_view name);

}  // namespace howdah::compat::tony::history
