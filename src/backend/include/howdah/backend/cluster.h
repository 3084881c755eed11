// What a client asks of a place: submit, look, follow, stop. One implementation a place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"
#include "howdah/storage/files.h"

namespace howdah::backend {

struct SubmitOptions {
  bool keep = false;  // the working directories stay at the end of the job
  std::string user;   // who submits
  // Told, as the job's files are copied to the place: bytes so far, and in all. May be empty.
  std::function<void(int64_t done, int64_t total)> on_staged;
};

enum class LogStream { kStdout, kStderr };

// Which bytes of a job's output.
struct LogSource {
  std::string role;
  int index = 0;
  int attempt = 0;
  int local_rank = 0;
  LogStream stream = LogStream::kStdout;
  friend auto operator<=>(const LogSource&, const LogSource&) = default;
};

// What is wanted of a job's output.
struct LogSelection {
  std::optional<std::string> role;
  std::optional<int> index;
  std::optional<int> attempt;  // none: with a live follow every attempt, else the newest
  bool want_stdout = true, want_stderr = true;
};

class FollowSink {
 public:
  virtual ~FollowSink() = default;
  virtual void OnEntry(const core::JournalEntry& entry) = 0;
  // The next bytes of one source, in order, whole or part lines as they come.
  virtual void OnLog(const LogSource& source, std::string_view bytes) = 0;
  // What a person should know of the following itself: output that cannot be read any more, and why.
  virtual void OnNote(const std::string& line) = 0;
};

// A job that is being followed: its journal from the beginning and, if wanted, its output as it grows. One thread.
// Memory is bounded whatever the rate of output.
class Follow {
 public:
  virtual ~Follow() = default;
  // Readable when Read may have something. Owned by the follow.
  virtual int fd() const = 0;
  // Hands on what there is, at most about 1 MiB of output a call; true: there is more right now. What was there when
  // the follow began is handed on before the first false.
  virtual bool Read(FollowSink& sink) = 0;
  // The journal's last entry has been handed on, and every byte of output that is wanted.
  virtual bool ended() const = 0;
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  // What of the job this place cannot give, at any time, in sentences with numbers; empty: nothing.
  virtual std::vector<std::string> Refusals(const jobspec::JobSpec& spec) = 0;
  // What the job file has that this place does not know (a queue on local); named by `plan`.
  virtual std::vector<std::string> Ignored(const jobspec::JobSpec& spec) = 0;

  virtual Result<JobId> Submit(const jobspec::JobSpec& spec, const SubmitOptions& options) = 0;

  // "last", a whole id: the id of a job that is there. kNotFound says which are.
  virtual Result<JobId> Resolve(const std::string& name) = 0;
  virtual Result<journal::JobView> Status(const JobId& id) = 0;            // with usage, if the job runs
  virtual Result<std::vector<journal::JobView>> List(bool ended_too) = 0;  // newest first
  virtual Result<std::unique_ptr<Follow>> FollowJob(const JobId& id, std::optional<LogSelection> logs) = 0;
  // Every source of output there is now, in the order of roles, index, attempt, rank, stdout before stderr.
  virtual Result<std::vector<LogSource>> LogSources(const JobId& id) = 0;
  // Hands on the source's bytes as they are now, in pieces: all of them, or the last lines.
  virtual howdah::Status ReadLog(const JobId& id, const LogSource& source, std::optional<int64_t> last_lines,
                                 const std::function<void(std::string_view)>& on_bytes) = 0;
  // The effective job (jobspec::WriteEffective), as long as the place keeps anything of it.
  virtual Result<std::string> JobFile(const JobId& id) = 0;
  // The file system that a URI or an absolute path names. kUnavailable: this place cannot reach it, and what to do.
  virtual Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) = 0;
  // Where a person finds the output: a directory or an address.
  virtual std::string LogsPlace(const JobId& id) = 0;

  // Returns when the stop has begun, or at once if the job has ended.
  virtual howdah::Status Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) = 0;
  // Of a job that has ended: blocks until its application master is gone, too.
  virtual howdah::Status AwaitGone(const JobId& id) = 0;
  virtual howdah::Status Scale(const JobId& id, const std::string& role, int instances, const std::string& by) = 0;

  // How the AM of a job that runs is reached now. kUnavailable: the job has ended, or its AM is not there yet.
  virtual Result<rpc::AmContact> Contact(const JobId& id) = 0;

  // For `howdah doctor`: one finding each.
  struct Finding {
    enum class Level { kOk, kWarning, kProblem } level = Level::kOk;
    std::string what, advice;
  };
  virtual std::vector<Finding> CheckSetup() = 0;
};

}  // namespace howdah::backend
