// The interface of clients to a backend: submit, inspect, follow and stop jobs. Each backend has one implementation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/site.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"
#include "howdah/storage/files.h"

namespace howdah::metrics {
struct Query;
}

namespace howdah::backend {

struct JobMetrics;  // job_metrics.h

struct SubmitOptions {
  bool keep = false;  // keep the working directories at the end of the job
  std::string user;   // the submitting user
  // Called while the job's files are copied to the backend, with the bytes copied so far and in total. May be empty.
  std::function<void(int64_t done, int64_t total)> on_staged;
  // Called before the first step that may start the job. Until then, the caller may end the process, and there is no
  // job. May be empty.
  std::function<void()> before_start = nullptr;
};

enum class LogStream { kStdout, kStderr };

// Identifies one stream of the output of one process.
struct LogSource {
  std::string role;
  int index = 0;
  int attempt = 0;
  int local_rank = 0;
  LogStream stream = LogStream::kStdout;
  friend auto operator<=>(const LogSource&, const LogSource&) = default;
};

// Selects a part of a job's output.
struct LogSelection {
  std::optional<std::string> role;
  std::optional<int> index;
  // If unset: every attempt when following a running job, the newest attempt in all other cases.
  std::optional<int> attempt;
  bool want_stdout = true, want_stderr = true;
  // For a follow: deliver only this many last lines of the output that each source has when the follow starts. A
  // backend that cannot skip the earlier output delivers everything; see Follow::starts_at_tail.
  std::optional<int64_t> tail_lines;
};

class FollowSink {
 public:
  virtual ~FollowSink() = default;
  virtual void OnEntry(const core::JournalEntry& entry) = 0;
  // Receives the next bytes of one source, in order. The bytes may end in the middle of a line.
  virtual void OnLog(const LogSource& source, std::string_view bytes) = 0;
  // Receives a message for the user about the follow itself: for example, that some output can no longer be read, and
  // why.
  virtual void OnNote(const std::string& line) = 0;
};

// Follows a job: delivers its journal from the beginning and, if requested, its output as it grows. Single-threaded.
// Memory is bounded, however fast the tasks write.
class Follow {
 public:
  virtual ~Follow() = default;
  // A descriptor that is readable when Read may have something to deliver. The Follow owns the descriptor.
  virtual int fd() const = 0;
  // Delivers the available entries and output, at most about 1 MiB of output per call. Returns true if more is
  // available now. Read does not return false before it has delivered everything that existed at the start of the
  // follow.
  virtual bool Read(FollowSink& sink) = 0;
  // Whether the journal's last entry and all requested output have been delivered.
  virtual bool ended() const = 0;
  // Whether LogSelection::tail_lines was applied.
  virtual bool starts_at_tail() const { return false; }
};

// The output of one source, read by position. Single-threaded.
class LogFile {
 public:
  virtual ~LogFile() = default;
  // Returns the number of bytes that exist now. A backend that does not record the size of the logs of an ended
  // container may have to read the whole log.
  virtual Result<int64_t> Size() = 0;
  // Returns the bytes from `offset` on: `size` bytes, or fewer at the end of the log, or none behind it. The effort
  // does not depend on `offset`, except for a container that has ended and whose logs only its node has.
  virtual Result<std::string> Read(int64_t offset, int64_t size) = 0;
};

// Reports which jobs have changed. Single-threaded.
class JobWatch {
 public:
  virtual ~JobWatch() = default;
  // A descriptor that is readable when Changed may return something. The JobWatch owns it.
  virtual int fd() const = 0;
  // Returns the jobs that are new, and those that are included and have changed, since the last call. May return a job
  // that has not changed. A removed job is returned, too.
  virtual Result<std::vector<JobId>> Changed() = 0;
  // Includes a job, or excludes it. A change after Include is reported; so include a job before reading its status.
  virtual void Include(const JobId& id) = 0;
  virtual void Exclude(const JobId& id) = 0;
};

// Returns the status, without tasks and time breakdown, of a job that has ended, or nullopt if it is not known.
using EndedJobs = std::function<std::optional<journal::JobView>(const JobId& id)>;

class Cluster {
 public:
  virtual ~Cluster() = default;

  struct JobCheck {
    // The reasons why the backend can never run this job, each as one sentence with numbers.
    std::vector<std::string> refusals;
    // The settings of the job file that this backend ignores (such as a queue on the local backend), or that only the
    // submission can check (such as a queue that YARN may create). `howdah plan` prints them.
    std::vector<std::string> ignored;
  };
  virtual JobCheck Check(const jobspec::JobSpec& spec) = 0;

  virtual Result<JobId> Submit(const jobspec::JobSpec& spec, const SubmitOptions& options) = 0;

  // name: "last" or a complete id. Returns the id of an existing job. A kNotFound error lists jobs that exist.
  virtual Result<JobId> Resolve(const std::string& name) = 0;
  virtual Result<journal::JobView> Status(const JobId& id) = 0;  // includes current usage if the job runs
  // Newest first. If `known` is not empty, it is asked about jobs that may have ended before they are read.
  virtual Result<std::vector<journal::JobView>> List(bool ended_too, const EndedJobs& known = {}) = 0;
  // Returns the ids of all jobs except those that ended before `since`, newest first. The result may include some of
  // the latter, too.
  virtual Result<std::vector<JobId>> Jobs(std::optional<Instant> since) = 0;
  // Passes the journal of a job to on_entry, from its first entry to the newest that can be read now.
  virtual howdah::Status ReadJournal(const JobId& id,
                                     const std::function<void(const core::JournalEntry&)>& on_entry) = 0;
  virtual Result<std::unique_ptr<Follow>> FollowJob(const JobId& id, std::optional<LogSelection> logs) = 0;
  // Returns every source of output that exists now, in the order of role, index, attempt and rank; stdout comes before
  // stderr.
  virtual Result<std::vector<LogSource>> LogSources(const JobId& id) = 0;
  // Passes the current content of the source to on_bytes in pieces: all of it, or only the last lines.
  virtual howdah::Status ReadLog(const JobId& id, const LogSource& source, std::optional<int64_t> last_lines,
                                 const std::function<void(std::string_view)>& on_bytes) = 0;
  // Opens the output of a source for reading by position. kNotFound: there is no such source.
  virtual Result<std::unique_ptr<LogFile>> OpenLog(const JobId& id, const LogSource& source) = 0;
  // Begins to watch the jobs of this user.
  virtual Result<std::unique_ptr<JobWatch>> Watch() = 0;
  // Copies the kept outputs of the job's tasks to DIRECTORY/ROLE-INDEX/..., and returns what was copied. Files that
  // exist there are replaced. For a running job, copies the outputs that exist now, or returns kUnavailable if the
  // backend cannot reach them.
  struct FetchedOutputs {
    int64_t files = 0, bytes = 0, tasks = 0;
    std::vector<std::string> paths;     // of the files: ROLE-INDEX/...
    std::vector<std::string> problems;  // why files of a task could not be kept, one sentence per task
  };
  virtual Result<FetchedOutputs> FetchOutputs(const JobId& id, const std::string& directory) = 0;
  // Returns the stored result of a process, whichever attempt stored it. The journal shows which results belong to the
  // newest attempts (TaskView::result_bytes). Returns kNotFound if there is none.
  virtual Result<std::string> ReadResult(const JobId& id, const std::string& role, int index, int local_rank) = 0;
  // Returns the metrics of a running or ended job. Returns kNotFound if there is no such job, or if it has no metrics.
  // To receive samples as they arrive, use rpc::AmMetrics with Contact.
  virtual Result<JobMetrics> Metrics(const JobId& id, const metrics::Query& query) = 0;
  // Returns the effective job file (jobspec::WriteEffective), if the backend still has it.
  virtual Result<std::string> JobFile(const JobId& id) = 0;
  // Opens the file system of a URI or an absolute path. Returns kUnavailable, with advice, if this backend cannot reach
  // the file system.
  virtual Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) = 0;
  // Returns where users find the output: a directory or an address.
  virtual std::string LogsLocation(const JobId& id) = 0;

  // Returns as soon as the job has begun to stop, or immediately if the job has ended. If the AM does not answer within
  // 10 s, the backend ends the job without the AM, and Stop returns a sentence for users that describes how. In all
  // other cases Stop returns "".
  virtual Result<std::string> Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) = 0;
  // Call this for a job that has ended. Blocks until its application master has exited, too.
  virtual howdah::Status AwaitGone(const JobId& id) = 0;
  virtual howdah::Status Scale(const JobId& id, const std::string& role, int instances, const std::string& by) = 0;
  struct RenewedTokens {
    Instant until;          // the end of the job's tokens
    bool replaced = false;  // false: the job's present tokens live at least as long as new ones
  };
  // Supplies a running job with new delegation tokens, fetched with the caller's ticket. Returns nullopt for a job that
  // has ended, and kUnavailable if jobs of this backend have no tokens.
  virtual Result<std::optional<RenewedTokens>> RenewTokens(const JobId& id) = 0;

  // Returns the address of a running job's AM and the identity with which clients call it. Returns kUnavailable if the
  // job has ended, or if no AM has registered yet.
  virtual Result<rpc::AmContact> Contact(const JobId& id) = 0;

  // The backend as a whole. The reference is valid as long as this object.
  virtual Site& site() = 0;
};

}  // namespace howdah::backend
