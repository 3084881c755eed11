// The names in TonY's history: LOCATION/intermediate/APPLICATION/ while a job runs, LOCATION/finished/YYYY/MM/DD/
// APPLICATION/ after its portal has moved it, and in either tony-final.xml and one file of events, whose name says who,
// when and how it ended.
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
  std::optional<Instant> completed;  // none: in progress
  std::string user;
  std::string status;  // "SUCCEEDED", "FAILED", "KILLED"; empty: in progress
  friend bool operator==(const FileName&, const FileName&) = default;
};

// TonY's readers split a name at each '-', cut it at the first '.' and refuse capitals, so that a user named "Ann-Lee"
// breaks the page that lists all jobs: what they cannot read of a user's name becomes '_'. (The configuration has the
// name as it is.)
std::string WriteFileName(const FileName& name);
// Also of names that TonY wrote and cannot read itself. nullopt: it is no file of events.
std::optional<FileName> ParseFileName(std::string_view name);

// The id by which TonY's tools know a job: they take ids of YARN alone. A job of another place gets one that no cluster
// gives, made from its id and the time of its submission, which never changes.
std::string ApplicationOf(const std::string& job, std::optional<Instant> submitted);

// "2019/05/29": the day of an instant where local time is ahead of UTC by `ahead`.
std::string DayDirectory(Instant instant, Duration ahead);
// The first instant that is not of that day, in UTC; nullopt: the text is no such directory.
std::optional<Instant> EndOfDay(std::string_view day_directory);

}  // namespace howdah::compat::tony::history
