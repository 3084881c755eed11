// Where the YARN place keeps things in the cluster's default file system.
//
//   ~/.howdah/                          (0711 where it is made by us, so that nodes may reach what is public)
//     cache/public/HASH[SUFFIX]         files by content, readable by all: YARN's nodes keep one copy for everybody
//     cache/private/HASH[SUFFIX]        the same, of files that only their owner may read (directory 0700)
//     jobs/ID/                          0700; removed at the job's end
//       job.json                        the effective job (jobspec::WriteEffective)
//       am.json                         what the application master is started with (am_start.h), and how clients call
//                                       it
//       journal.jsonl, events.bin       the AM's journal, and what it was told (am::EventLog), as they were about a
//                                       second ago
//     history/ID/                       0700; stays
//       job.json, journal.jsonl
#pragma once

#include <string>

#include "howdah/base/ids.h"

namespace howdah::backend::yarn {

class Layout {
 public:
  // home: of the user in the file system, "/user/ann".
  explicit Layout(const std::string& home) : root_(home + (home.ends_with('/') ? "" : "/") + ".howdah") {}

  const std::string& root() const { return root_; }
  std::string cache() const { return root_ + "/cache"; }
  std::string public_cache() const { return cache() + "/public"; }
  std::string private_cache() const { return cache() + "/private"; }
  std::string jobs() const { return root_ + "/jobs"; }
  std::string job(const JobId& id) const { return jobs() + "/" + id.text; }
  std::string job_file(const JobId& id) const { return job(id) + "/job.json"; }
  std::string am_file(const JobId& id) const { return job(id) + "/am.json"; }
  std::string journal(const JobId& id) const { return job(id) + "/journal.jsonl"; }
  std::string event_log(const JobId& id) const { return job(id) + "/events.bin"; }
  std::string histories() const { return root_ + "/history"; }
  std::string history(const JobId& id) const { return histories() + "/" + id.text; }
  std::string history_job_file(const JobId& id) const { return history(id) + "/job.json"; }
  std::string history_journal(const JobId& id) const { return history(id) + "/journal.jsonl"; }

 private:
  std::string root_;
};

}  // namespace howdah::backend::yarn
