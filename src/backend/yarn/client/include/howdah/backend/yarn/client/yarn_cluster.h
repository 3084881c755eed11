// The client side of the YARN backend. Howdah need not be installed on the cluster.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/hadoop/conf/configuration.h"

namespace howdah::backend::yarn {
class HadoopClient;
struct ClusterFacts;
}  // namespace howdah::backend::yarn

namespace howdah::backend::yarn::client {

struct YarnOptions {
  std::string home;   // $HOWDAH_HOME, for caches
  std::string agent;  // path of howdah-agent
  std::string user;   // the submitting user unless HADOOP_USER_NAME is set
  hadoop::conf::Environment environment;
  std::string principal, keytab, as;  // --principal, --keytab and --as; empty: not given
  std::string autoscaler;             // URI or path of the file that the cluster's autoscaler publishes; "": none
};

// Reads the configuration when the client is first needed.
class HadoopConnection {
 public:
  HadoopConnection();
  ~HadoopConnection();

  Result<HadoopClient*> Open(const YarnOptions& options);

 private:
  std::unique_ptr<HadoopClient> client_;
};

// Single-threaded. Reads the configuration at the first call and connects on demand.
class YarnCluster final : public backend::Cluster {
 public:
  explicit YarnCluster(YarnOptions options);
  ~YarnCluster() override;

  JobCheck Check(const jobspec::JobSpec& spec) override;
  Result<JobId> Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) override;
  Result<JobId> Resolve(const std::string& name) override;
  Result<journal::JobView> Status(const JobId& id) override;
  Result<std::vector<journal::JobView>> List(bool ended_too, const backend::EndedJobs& known) override;
  Result<std::vector<JobId>> Jobs(std::optional<Instant> since) override;
  howdah::Status ReadJournal(const JobId& id, const std::function<void(const core::JournalEntry&)>& on_entry) override;
  Result<std::unique_ptr<backend::Follow>> FollowJob(const JobId& id,
                                                     std::optional<backend::LogSelection> logs) override;
  Result<std::vector<backend::LogSource>> LogSources(const JobId& id) override;
  howdah::Status ReadLog(const JobId& id, const backend::LogSource& source, std::optional<int64_t> last_lines,
                         const std::function<void(std::string_view)>& on_bytes) override;
  Result<std::unique_ptr<backend::LogFile>> OpenLog(const JobId& id, const backend::LogSource& source) override;
  Result<std::unique_ptr<backend::JobWatch>> Watch() override;
  Result<FetchedOutputs> FetchOutputs(const JobId& id, const std::string& directory) override;
  Result<std::string> ReadResult(const JobId& id, const std::string& role, int index, int local_rank) override;
  Result<backend::JobMetrics> Metrics(const JobId& id, const metrics::Query& query) override;
  Result<std::string> JobFile(const JobId& id) override;
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) override;
  std::string LogsLocation(const JobId& id) override;
  Result<std::string> Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) override;
  howdah::Status AwaitGone(const JobId& id) override;
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId& id) override;
  howdah::Status Scale(const JobId& id, const std::string& role, int instances, const std::string& by) override;
  Result<rpc::AmContact> Contact(const JobId& id) override;
  backend::Site& site() override { return *site_; }

 private:
  YarnOptions options_;
  HadoopConnection connection_;
  std::unique_ptr<backend::Site> site_;
  std::unique_ptr<ClusterFacts> facts_;  // result of the last call of Refusals, so that Submit uses the same facts
};

}  // namespace howdah::backend::yarn::client
