// File and directory names of TonY's history. A job's directory is LOCATION/intermediate/APPLICATION/ while the job
// runs, and LOCATION/finished/YYYY/MM/DD/APPLICATION/ after TonY's portal has moved it. Each directory has
// tony-final.xml and one file of events. The name of the file of events contains the user, the times and the final
// status.
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

// APPLICATION-STARTED-USER.jhist.inprogress or APPLICATION-STARTED-COMPLETED-USER-STATUS.jhist. Times are in
// milliseconds.
struct FileName {
  std::string application;  // "application_1541469337545_0031"
  Instant started;
  std::optional<Instant> completed;  // nullopt if in progress
  std::string user;
  std::string status;  // "SUCCEEDED", "FAILED", "KILLED"; empty if in progress
  friend bool operator==(const FileName&, const FileName&) = default;
};

// The user's name as file names have it. TonY's readers split a name at each '-', cut it at the first '.' and reject
// capitals, so a user named "Ann-Lee" would break the page that lists all jobs. Therefore capitals become lower case,
// and all characters other than a-z, 0-9 and '_' become '_'. The configuration has the unchanged name.
std::string UserInFileName(const std::string& user);
// Formats a name.
std::string WriteFileName(const FileName& name);
// Parses a name, even if TonY itself could not. Returns nullopt if it is not the name of a file of events. The
// application has only letters, digits and '_'.
std::optional<FileName> ParseFileName(std::string_view name);

// The id of a job for TonY's tools, which accept only YARN's ids. A job of another backend gets a stable id, computed
// from its own id and its submission time. No cluster assigns such an id.
std::string ApplicationOf(const std::string& job, std::optional<Instant> submitted);

// The day of an instant in local time, such as "2019/05/29". `utc_offset` is local time minus UTC.
std::string DayDirectory(Instant instant, Duration utc_offset);
// The end of such a day in UTC. Returns nullopt if the text is not such a directory.
std::optional<Instant> EndOfDay(std::string_view day_directory);

}  // namespace howdah::compat::tony::history
