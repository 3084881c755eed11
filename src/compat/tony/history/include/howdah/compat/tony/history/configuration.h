// tony-final.xml: a job's configuration as TonY's tools and Hadoop's Configuration read it.
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
  std::string source;  // the file or flag that said so; empty: unknown
  bool is_final = false;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// Names that Howdah adds: what TonY's file names cannot tell of a job that another place has run.
inline constexpr char kJobIdSetting[] = "howdah.job.id";
inline constexpr char kUserSetting[] = "howdah.user";
inline constexpr char kPlaceSetting[] = "howdah.on";

// The configuration that the job file hands on (`history.configuration`); else, what the job is in TonY's keys: name,
// framework, queue, and each role's instances, memory, vcores, gpus and command. Either with the names above.
// submitted: the job's journal, or its first line.
std::vector<Setting> SettingsOf(const jobspec::JobSpec& spec, const journal::JobView& submitted);

std::string WriteConfiguration(const std::vector<Setting>& settings);
// In the order of the file; of names that stand there twice the last. Properties without name or value are left out, as
// TonY leaves them out. An error: it is not XML, with the line.
Result<std::vector<Setting>> ReadConfiguration(std::string_view xml);

// The value of a name; empty: it is not set.
std::string ValueOf(const std::vector<Setting>& settings, std::string_view name);

}  // namespace howdah::compat::tony::history
