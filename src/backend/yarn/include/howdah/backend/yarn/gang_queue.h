// The queue of Howdah's jobs on a cluster, as the ResourceManager's reports show it. Every application master and every
// client derives the same queue from them (howdah/admission/queue.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/admission/queue.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/yarn/resource.h"
#include "howdah/hadoop/yarn/resource_manager.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn {

// The application type of Howdah's jobs.
inline constexpr const char* kApplicationType = "HOWDAH";

// The progress that an AM reports to the ResourceManager once its first gang is complete, and 0 before. Other observers
// of the queue know by it which jobs wait.
inline constexpr float kProgressOfRunningJob = 0.1F;

// Returns the tag that publishes the needs of the job's first gang, or nullopt if the job is not queued, because its
// tasks start one by one. Tasks that request another node label than the job are left out. least_memory_mib: the
// scheduler grants multiples of it (yarn.scheduler.minimum-allocation-mb). Pure.
std::optional<std::string> GangTag(const jobspec::JobSpec& spec, int64_t least_memory_mib);

// Returns the tag that publishes the optional tasks of all elastic roles, or nullopt if there are none. Pure.
std::optional<std::string> OptionalTag(const jobspec::JobSpec& spec, int64_t least_memory_mib);
// Returns the tasks that the application has published in this way.
std::vector<admission::Tasks> OptionalTasksOf(const ::hadoop::yarn::ApplicationReportProto& report);

admission::Resources ToAdmission(const hadoop::yarn::Resource& resource);

// Returns the node label that the application requests; "" if none.
std::string LabelOf(const ::hadoop::yarn::ApplicationReportProto& report);

// Whether the scheduler seems to count vcores, which cannot be asked. A node with more vcores in use than it has shows
// that it does not.
bool CountsVcores(const std::vector<::hadoop::yarn::NodeReportProto>& nodes);

// The reports of one look at the queue.
struct QueueReports {
  std::vector<::hadoop::yarn::ApplicationReportProto> applications;  // of Howdah, which have not ended
  std::vector<::hadoop::yarn::NodeReportProto> nodes;                // running nodes
  std::set<std::string> shared_labels;                           // whose nodes may run containers without a label, too
  std::map<std::string, ::hadoop::yarn::QueueInfoProto> queues;  // the leaf queues of waiting jobs
  std::map<std::string, admission::AmContainer> ams;             // by attempt, as far as they are known
  // The amounts that running jobs hold on each node, by application, as far as they are known and needed.
  std::map<std::string, std::map<std::string, admission::Resources>> held;
};

struct QueueScope {
  std::string label;          // the node label of the jobs and nodes
  bool counts_vcores = true;  // whether the scheduler counts vcores (yarn.scheduler.capacity.resource-calculator)
  admission::Resources am_size{1024, 1, 0, {}};  // the size that AMs without a container are taken to need
};

// Returns the jobs and nodes of the scope. Nodes are named "host:port". Applications without a valid gang tag are not
// in the queue. may_step_aside is true for each AM whose container is known. `complete` of a running job is the launch
// of its first AM. Pure, and safe for any reports.
admission::Cluster ClusterOf(const QueueReports& reports, const QueueScope& scope);

// Reads the queue from a ResourceManager. Keeps facts that cannot have changed since an earlier read. Single-threaded.
class QueueReader {
 public:
  // Reads the applications only. Errors are those of ResourceManager.
  Status ReadApplications(hadoop::yarn::ResourceManager& rm);
  Status ReadNodes(hadoop::yarn::ResourceManager& rm);
  // Reads the containers and queues of the scope's jobs, after their applications and the nodes. An application whose
  // details the caller may not read stays without them. with_held: also the containers of running jobs with a time
  // limit, which only backfilling needs.
  Status ReadJobs(hadoop::yarn::ResourceManager& rm, const QueueScope& scope, bool with_held);
  const QueueReports& reports() const { return reports_; }

 private:
  struct HeldAt {
    int containers = 0;  // when it was read
    std::map<std::string, admission::Resources> by_node;
  };

  Status ReadQueues(hadoop::yarn::ResourceManager& rm, const admission::Cluster& cluster);
  void ReadAm(hadoop::yarn::ResourceManager& rm, const ::hadoop::yarn::ApplicationReportProto& application);
  void ReadHeld(hadoop::yarn::ResourceManager& rm, const ::hadoop::yarn::ApplicationReportProto& application);

  QueueReports reports_;
  std::map<std::string, HeldAt> held_;  // by application
};

}  // namespace howdah::backend::yarn
