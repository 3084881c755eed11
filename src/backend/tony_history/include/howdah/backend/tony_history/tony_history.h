// A read-only backend: the jobs in a history directory of TonY.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/storage/files.h"
#include "howdah/storage/history/read.h"

namespace howdah::backend::tony_history {

class HistoryReader;

struct TonyHistoryOptions {
  std::unique_ptr<storage::Files> files;  // the file system of the history
  storage::history::Location location;
  std::string user;                              // of this process
  Duration interval = std::chrono::seconds(10);  // between two readings for a follow or a watch
};

// Shows what TonY has recorded about its jobs, and those that other users ran with Howdah. It leaves out what this user
// ran with Howdah, because the backends of these jobs know more about them. A job of this user is left out while its
// configuration cannot be read, because it says which program ran the job. An id is the name of a directory in the
// history: an application id. A history has neither logs nor metrics, and nothing can be changed through it; the
// methods for that return kUnavailable, with the program that can do it.
//
// Single-threaded. Calls read files, and may take long if the file system is remote. A directory that cannot be read is
// skipped.
class TonyHistory final : public backend::Cluster {
 public:
  explicit TonyHistory(TonyHistoryOptions options);
  ~TonyHistory() override;

  JobCheck Check(const jobspec::JobSpec& spec) override;
  Result<JobId> Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) override;
  Result<JobId> Resolve(const std::string& name) override;
  Result<journal::JobView> Status(const JobId& id) override;
  Result<std::vector<journal::JobView>> List(bool ended_too, const backend::EndedJobs& known) override;
  Result<std::vector<JobId>> Jobs(std::optional<Instant> since) override;
  howdah::Status ReadJournal(const JobId& id, const std::function<void(const core::JournalEntry&)>& on_entry) override;
  // A follow has no output. It reads the file of events again at the interval.
  Result<std::unique_ptr<backend::Follow>> FollowJob(const JobId& id,
                                                     std::optional<backend::LogSelection> logs) override;
  Result<std::vector<backend::LogSource>> LogSources(const JobId& id) override;
  howdah::Status ReadLog(const JobId& id, const backend::LogSource& source, std::optional<int64_t> last_lines,
                         const std::function<void(std::string_view)>& on_bytes) override;
  Result<std::unique_ptr<backend::LogFile>> OpenLog(const JobId& id, const backend::LogSource& source) override;
  // Lists the directories of the last day at the interval.
  Result<std::unique_ptr<backend::JobWatch>> Watch() override;
  Result<FetchedOutputs> FetchOutputs(const JobId& id, const std::string& directory) override;
  Result<std::string> ReadResult(const JobId& id, const std::string& role, int index, int local_rank) override;
  Result<backend::JobMetrics> Metrics(const JobId& id, const metrics::Query& query) override;
  // The job as far as TonY's configuration describes it. TonY had no job file, so this one cannot be submitted.
  Result<std::string> JobFile(const JobId& id) override;
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) override;
  std::string LogsLocation(const JobId& id) override;
  Result<std::string> Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) override;
  howdah::Status AwaitGone(const JobId& id) override;
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId& id) override;
  howdah::Status Scale(const JobId& id, const std::string& role, int instances, const std::string& by) override;
  Result<rpc::AmContact> Contact(const JobId& id) override;
  // A history has no nodes, queues or applications.
  backend::Site& site() override { return *site_; }

 private:
  std::unique_ptr<HistoryReader> reader_;
  std::unique_ptr<backend::Site> site_;
  Duration interval_;
};

}  // namespace howdah::backend::tony_history
