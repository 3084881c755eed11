// The host that runs a job. Several hosts may share one HOWDAH_HOME through a file system that does not share locks
// between them, so a free am.lock alone does not show that a job is orphaned.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

struct Host {
  std::string name;
  std::string boot_id;  // the kernel generates a new one at every boot
};
Host ThisHost();

// The content of host.json.
struct JobHost {
  struct Process {
    pid_t pid = -1;
    uint64_t start_ticks = 0;  // distinguishes the process from a later one with the same pid
  };
  Host host;
  std::vector<Process> processes;  // the job lives at least as long as one of them
};

// Records that the job runs on this host and is kept alive by these processes.
Status WriteJobHost(const JobFiles& files, const std::vector<pid_t>& pids);
// Returns nullopt if the file does not exist, and an error if it cannot be read or is damaged.
Result<std::optional<JobHost>> ReadJobHost(const JobFiles& files);

// Whether the processes of a job are alive, as far as host.json shows.
enum class Life {
  kElsewhere,   // the job belongs to another host, and only that host can determine whether it is alive
  kAlive,       // the job is alive, even if am.lock is free
  kUnrecorded,  // host.json is missing, so am.lock decides
  kDead,        // the job is dead, provided that am.lock is free
};
// recorded: the content of host.json, for a job that has not recorded its end. submitted_on: the host that its journal
// names. start_ticks: returns the start time of a process, or nullopt if the process does not exist. Pure.
Life JudgeLife(const std::optional<JobHost>& recorded, const std::string& submitted_on, const Host& here,
               const std::function<std::optional<uint64_t>(pid_t)>& start_ticks);

// The host of a job that has not recorded its end.
struct Whereabouts {
  Life life = Life::kUnrecorded;
  std::string host;  // the name of the job's host
};
Result<Whereabouts> FindWhereabouts(const JobFiles& files);

// For a job whose am.lock is free. Judges the job as FindWhereabouts does, but first waits a moment for the job's
// processes to end, because an exiting process releases its locks before it ends.
Result<Life> LifeAfterExits(const JobFiles& files);

}  // namespace howdah::backend::local
