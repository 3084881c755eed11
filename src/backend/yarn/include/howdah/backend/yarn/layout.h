// The paths of Howdah's files in the cluster's default file system.
//
//   ~/.howdah/                          created with mode 0711, so that nodes can reach the public files
//     cache/public/HASH[SUFFIX]         world-readable files by content hash; a node keeps one copy for all users
//     cache/private/HASH[SUFFIX]        files that only their owner may read (directory mode 0700)
//     jobs/ID/                          mode 0700; deleted at the end of the job
//       job.json                        the effective job (jobspec::WriteEffective)
//       am.json                         the client's input for the AM (am_start.h), and the identity of clients
//       outputs/ROLE-INDEX/...          the files of tasks that `outputs` in the job file selects (StoredName), and
//                                       kNotStored: why some of them are missing, as text for people
//       results/ROLE-INDEX/LOCAL_RANK   results of processes (HOWDAH_RESULT)
//       logs/CONTAINER/FILE             output of tasks, if the job has outlived the tokens of its submission
//       authorities.pem                 the certificate authorities of the client, if the job needs them
//       keytab                          mode 0400; the keytab of the job file
//       tokens                          newer tokens than those of the submission (`howdah renew`)
//       metrics                         the AM's metrics file, at most about five minutes old
//       journal.jsonl, events.bin       the AM's journal and event log (am::EventLog), at most about a second old
//       feed-NAME.bin                   the AM's logs of feeds (am::FeedLog), likewise
//     history/ID/                       mode 0700; kept after the end of the job
//       job.json, journal.jsonl, metrics, outputs/, results/, logs/
#pragma once

#include <string>

#include "howdah/base/ids.h"

namespace howdah::backend::yarn {

inline constexpr char kNotStored[] = ".howdah-not-stored";

// HDFS rejects paths with a colon. U+F03A stands for it in the stored paths of outputs, as in Cygwin and Samba.
std::string StoredName(std::string path);
// The inverse of StoredName.
std::string OriginalName(std::string path);

class Layout {
 public:
  // home: the user's home directory in the file system, "/user/ann".
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
  // A log of the AM, which has the same name as its local file: the event log, or the log of a feed.
  std::string am_log(const JobId& id, const std::string& name) const { return job(id) + "/" + name; }
  std::string authorities(const JobId& id) const { return job(id) + "/authorities.pem"; }
  std::string keytab(const JobId& id) const { return job(id) + "/keytab"; }
  std::string tokens(const JobId& id) const { return job(id) + "/tokens"; }
  std::string metrics(const JobId& id) const { return job(id) + "/metrics"; }
  std::string outputs(const JobId& id) const { return job(id) + "/outputs"; }
  std::string results(const JobId& id) const { return job(id) + "/results"; }
  std::string logs(const JobId& id) const { return job(id) + "/logs"; }
  std::string histories() const { return root_ + "/history"; }
  std::string history(const JobId& id) const { return histories() + "/" + id.text; }
  std::string history_metrics(const JobId& id) const { return history(id) + "/metrics"; }
  std::string history_outputs(const JobId& id) const { return history(id) + "/outputs"; }
  std::string history_results(const JobId& id) const { return history(id) + "/results"; }
  std::string history_logs(const JobId& id) const { return history(id) + "/logs"; }
  std::string history_job_file(const JobId& id) const { return history(id) + "/job.json"; }
  std::string history_journal(const JobId& id) const { return history(id) + "/journal.jsonl"; }

 private:
  std::string root_;
};

}  // namespace howdah::backend::yarn
