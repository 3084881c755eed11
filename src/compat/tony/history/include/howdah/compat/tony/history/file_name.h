// The names in TonY's history: LOCATION/intermediate/APPLICATION/ while a job runs, and LOCATION/finished/YYYY/MM/DD/
// APPLICATION/ after TonY's portal has moved it. Each directory has tony-final.xml and one file of events, whose name
// has the user, the times and the final status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/time.h"

namespace howdah::compat::tony::history {

inline constexpr char kIntermediate[] = "intermediate";
inline constexpr char kFinished[] = "finished";
inline constexpr char kConfigurationFile[] = "tony-final.xml";
inline constexpr char kOldConfigurationFile[] = "config.xml";  // before TonY 0.3.5

// APPLICATION-STARTED-USER.jhist.inprogress, APPLICATION-STARTED-COMPLETED-USER-STATUS.jhist; times in milliseconds.
struct FileName {
  std::string application;  // "application_1541469337545_0031"
  Instant started;
  std::optional<Instant> completed;  // nullopt: in progress
  std::string user;
  std::string status;  // "SUCCEEDED", "FAILED", "KILLED"; empty: in progress
  friend bool operator==(const FileName&, const FileName&) = default;
};

// TonY's readers split a name at each '-', cut it at the first '.' and reject capitals: a user named "Ann-Lee" would
// break the page that lists all jobs. Therefore capitals become lower case and other such characters '_'. The
// configuration has the unchanged name.
std::string WriteFileName(const FileName& name);
// Also parses names that TonY writes but cannot read itself. nullopt: not a file of events.
std::optional<FileName> ParseFileName(std::string_view name);

// The id of a job for TonY's tools, which accept only YARN's ids. A job of another backend gets a stable id, made from
// its own id and its submission time, that no cluster assigns.
std::string ApplicationOf(const std::string& job, std::optional<Instant> submitted);

// "2019/05/29": the day of an instant in local time, which is UTC plus `ahead`.
std::string DayDirectory(Instant instant, Duration ahead);
// The end of that day, in UTC; nullopt: not such a directory.
std::optional<Instant> EndOfDay(std::string_view day_directory);

}  // namespace howdah::compat::tony::history
