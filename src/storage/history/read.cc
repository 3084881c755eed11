#include "howdah/storage/history/read.h"

#include <algorithm>
#include <tuple>

namespace howdah::storage::history {
namespace {

using compat::tony::history::FileName;
using storage::Files;

// When this time has passed after the end of a day in UTC, the day has ended in every time zone.
constexpr Duration kMaxZoneDelay = std::chrono::hours(15);
// TonY's configurations have some 200 KiB, because they contain all of Hadoop's.
constexpr size_t kMostConfiguration = size_t{1} << 20;
constexpr size_t kMostEvents = size_t{64} << 20;

bool IsNumber(const std::string& text, size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns nullopt if the directory does not exist.
Result<std::optional<std::vector<Files::Entry>>> ListIfThere(Files& files, const std::string& path) {
  auto entries = files.List(path);
  if (entries.ok()) return std::optional(std::move(*entries));
  if (entries.error().code != ErrorCode::kNotFound) return entries.error();
  return std::optional<std::vector<Files::Entry>>();
}

// If several application masters wrote files, the file of the one that started last is valid, as in TonY's readers.
bool IsNewer(const FileName& a, const FileName& b) {
  return a.started != b.started ? a.started > b.started : a.completed.has_value() && !b.completed.has_value();
}

class Scanner {
 public:
  Scanner(Files& files, std::optional<Instant> since) : files_(files), since_(since) {}

  Status JobsOf(const std::string& path, bool moved) {
    HOWDAH_TRY(const auto entries, ListIfThere(files_, path));
    if (!entries) return {};
    for (const Files::Entry& entry : *entries) {
      if (!entry.directory) continue;
      // Jobs belong to different users, so a job that cannot be read must not hide the others.
      Keep(Job(path + "/" + entry.name, moved));
    }
    return {};
  }

  // Visits the day directories below `path`. `digits` has the lengths of the directory names on the levels that are
  // left. `day` is the beginning of the date, such as "2019/05".
  Status Days(const std::string& path, const std::string& day, const std::vector<size_t>& digits) {
    if (digits.empty()) {
      const auto end = compat::tony::history::EndOfDay(day);
      return !end || (since_ && *end + kMaxZoneDelay < *since_) ? Status() : JobsOf(path, /*moved=*/true);
    }
    HOWDAH_TRY(const auto entries, ListIfThere(files_, path));
    if (!entries) return {};
    for (const Files::Entry& entry : *entries) {
      if (!entry.directory || !IsNumber(entry.name, digits.front())) continue;
      Keep(Days(path + "/" + entry.name, day.empty() ? entry.name : day + "/" + entry.name,
                {digits.begin() + 1, digits.end()}));
    }
    return {};
  }

  Scanned scanned;

 private:
  void Keep(const Status& read) {
    if (!read.ok()) scanned.problems.push_back(read.error().message);
  }

  Status Job(const std::string& path, bool moved) {
    // The job may have been moved since its directory was listed.
    HOWDAH_TRY(auto newest, FindIn(files_, path, moved));
    if (newest && !(since_ && newest->name.completed && *newest->name.completed < *since_)) {
      scanned.jobs.push_back(std::move(*newest));
    }
    return {};
  }

  Files& files_;
  std::optional<Instant> since_;
};

}  // namespace

Location LocationOf(const std::string& root) {
  const std::string base = root + (root.ends_with('/') ? "" : "/");
  return {base + compat::tony::history::kIntermediate, base + compat::tony::history::kFinished};
}

Result<std::optional<Found>> FindIn(Files& files, const std::string& directory, bool moved) {
  std::optional<Found> newest;
  HOWDAH_TRY(const auto entries, ListIfThere(files, directory));
  if (!entries) return newest;
  for (const Files::Entry& entry : *entries) {
    const auto name = compat::tony::history::ParseFileName(entry.name);
    if (name && (!newest || IsNewer(*name, newest->name))) newest = Found{*name, directory, moved, entry.name};
  }
  return newest;
}

Result<Scanned> Scan(Files& files, const Location& location, std::optional<Instant> since) {
  Scanner scanner(files, since);
  HOWDAH_TRY_STATUS(scanner.JobsOf(location.intermediate, /*moved=*/false));
  HOWDAH_TRY_STATUS(scanner.Days(location.finished, "", {4, 2, 2}));
  std::sort(scanner.scanned.jobs.begin(), scanner.scanned.jobs.end(), [](const Found& a, const Found& b) {
    return std::tie(a.name.started, a.name.application) > std::tie(b.name.started, b.name.application);
  });
  return std::move(scanner.scanned);
}

Result<std::vector<compat::tony::history::Setting>> ReadConfiguration(Files& files, const Found& job) {
  for (const char* name : {compat::tony::history::kConfigurationFile, compat::tony::history::kOldConfigurationFile}) {
    const std::string path = job.directory + "/" + name;
    const auto xml = files.Read(path, kMostConfiguration);
    if (!xml.ok() && xml.error().code == ErrorCode::kNotFound) continue;
    if (!xml.ok()) return xml.error();
    auto settings = compat::tony::history::ReadConfiguration(*xml);
    if (!settings.ok()) return settings.error().While("reading " + path);
    return settings;
  }
  return std::vector<compat::tony::history::Setting>();
}

Result<compat::tony::history::Events> ReadEvents(Files& files, const Found& job) {
  HOWDAH_TRY(const auto bytes, files.Read(job.file(), kMostEvents));
  if (bytes.empty() && !job.name.completed)
    return compat::tony::history::Events{{}, "the job has not written any events yet"};
  auto events = compat::tony::history::ReadEvents(bytes);
  if (!events.ok()) return events.error().While("reading " + job.file());
  return events;
}

}  // namespace howdah::storage::history
