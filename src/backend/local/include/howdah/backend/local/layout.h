// The paths of the local backend's files.
//
//   $HOWDAH_HOME/               (default ${XDG_STATE_HOME:-~/.local/state}/howdah)
//     jobs/ID/
//       job.json                the effective job (jobspec::WriteEffective)
//       journal.jsonl           one journal::EncodeEntry per line; after submission written by the AM, the guardian,
//                               or a client that records the end of an orphaned job
//       am.lock                 locked (flock) while the submission is in progress, or the AM or its guardian runs
//       am.json                 {"address": "127.0.0.1:PORT", "pid": N}, once the AM listens; deleted at the end
//       host.json               the host and the processes that submit or run the job (job_host.h); deleted at the end
//       events.bin              the AM's event log (am/event_log.h); deleted at the end
//       feed-NAME.bin           the AM's logs of feeds (am/feed_log.h); deleted at the end
//       alive/CONTAINER         a named pipe that the container's agents keep open; deleted at the end
//       am.log                  stderr of the AM and its guardian
//       environment.json        {NAME: VALUE}: the submitter's variables that tasks inherit; deleted at the end
//       tls/                    {ca,am,executor,client}.{pem,key}; deleted at the end
//       staging/                source and files at submission, copied to every working directory; deleted at the end
//       python/                 the unpacked python archive; deleted at the end
//       reserve                 64 KiB that are freed to record the end of the job on a full disk; deleted at the end
//       keep-work               if present, working directories are kept at the end
//       work/ROLE-INDEX/        working directory of a task; deleted at the end unless kept
//       metrics                 metrics of the tasks (docs/metrics.md), rewritten while the job runs
//       results/ROLE-INDEX/LOCAL_RANK
//                               results of processes (HOWDAH_RESULT); the journal shows which belong to newest attempts
//       outputs/ROLE-INDEX/     files of tasks that `outputs` in the job file selects; moved from work/ at the end
//       logs/ROLE-INDEX/ATTEMPT/{stdout,stderr}
//                               with several processes per task: .../ATTEMPT/LOCAL_RANK/{stdout,stderr}
//       agents/ROLE-INDEX.log   stderr of the task's executor and its guardian
//     leases/                   leases of memory and GPUs (lease_registry.h)
#pragma once

#include <string>

#include "howdah/base/ids.h"

namespace howdah::backend::local {

class Layout {
 public:
  explicit Layout(std::string home) : home_(std::move(home)) {}

  const std::string& home() const { return home_; }
  std::string jobs() const { return home_ + "/jobs"; }
  std::string leases() const { return home_ + "/leases"; }
  std::string job(const JobId& id) const { return jobs() + "/" + id.text; }

 private:
  std::string home_;
};

// The files of one job.
class JobFiles {
 public:
  explicit JobFiles(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  std::string spec() const { return directory_ + "/job.json"; }
  std::string journal() const { return directory_ + "/journal.jsonl"; }
  std::string metrics() const { return directory_ + "/metrics"; }
  std::string am_lock() const { return directory_ + "/am.lock"; }
  std::string am_address() const { return directory_ + "/am.json"; }
  std::string host() const { return directory_ + "/host.json"; }
  std::string event_log() const { return directory_ + "/events.bin"; }
  std::string alive() const { return directory_ + "/alive"; }
  std::string am_log() const { return directory_ + "/am.log"; }
  std::string environment() const { return directory_ + "/environment.json"; }
  std::string tls() const { return directory_ + "/tls"; }
  std::string staging() const { return directory_ + "/staging"; }
  std::string python() const { return directory_ + "/python"; }
  std::string reserve() const { return directory_ + "/reserve"; }
  std::string keep_work() const { return directory_ + "/keep-work"; }
  std::string work() const { return directory_ + "/work"; }
  std::string outputs() const { return directory_ + "/outputs"; }  // ROLE-INDEX/..., kept after the job
  std::string results() const { return directory_ + "/results"; }  // ROLE-INDEX/LOCAL_RANK, kept after the job
  std::string logs() const { return directory_ + "/logs"; }
  std::string agents() const { return directory_ + "/agents"; }

  // The job's lease file, leases/ID.lease. The directory leases/ is beside jobs/.
  std::string lease() const {
    return directory_ + "/../../leases" + directory_.substr(directory_.rfind('/')) + ".lease";
  }

  static std::string TaskName(const std::string& role, int index) { return role + "-" + std::to_string(index); }
  std::string task_work(const std::string& role, int index) const { return work() + "/" + TaskName(role, index); }
  std::string task_logs(const std::string& role, int index) const { return logs() + "/" + TaskName(role, index); }

 private:
  std::string directory_;
};

}  // namespace howdah::backend::local
