// What `howdah doctor --on yarn` looks at: from the configuration's files to a file that was written and removed.
#include <unistd.h>

#include <functional>
#include <map>

#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/bytes.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn::client {
namespace {

using Finding = backend::Cluster::Finding;
using Level = Finding::Level;

constexpr size_t kJobsNamed = 6;  // of a list in a sentence

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == kJobsNamed) return text + ", ...";
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

class SetupCheck {
 public:
  SetupCheck(const YarnOptions& options, std::vector<Finding>& findings) : options_(options), findings_(findings) {}

  void OfAgent() {
    if (access(options_.agent.c_str(), R_OK) == 0) return Ok("howdah-agent is at " + options_.agent);
    Problem("howdah-agent is not at " + options_.agent, "put it beside howdah: both come from the same build");
  }

  void OfConfiguration(const HadoopClient& cluster) {
    const auto& configuration = cluster.configuration();
    std::map<std::string, int> files;
    for (const auto& [key, property] : configuration.properties()) ++files[property.origin];
    std::vector<std::string> read;
    for (const auto& [origin, count] : files) {
      if (origin.starts_with("/")) read.push_back(origin + " (" + std::to_string(count) + " properties)");
    }
    Ok("configuration: " + Listed(read));
    for (const char* key :
         {"fs.defaultFS", "yarn.resourcemanager.address", "yarn.resourcemanager.ha.rm-ids",
          "yarn.resourcemanager.scheduler.address", "yarn.log-aggregation-enable", "hadoop.security.authentication"}) {
      if (const auto value = configuration.Get(key)) Ok(*value + ": " + configuration.Where(key));
    }
    for (const std::string& warning : configuration.warnings) Warning(warning, "");
    if (configuration.Text("hadoop.security.authentication", "simple") != "simple") {
      Problem("this cluster wants Kerberos (" + configuration.Where("hadoop.security.authentication") +
                  "), which this version does not speak",
              "submit from within a job that has delegation tokens (HADOOP_TOKEN_FILE_LOCATION), or use a cluster "
              "without it");
    }
    if (const auto logs = configuration.Bool("yarn.log-aggregation-enable", false); logs.ok() && !*logs) {
      Warning(
          "yarn.log-aggregation-enable is off: output of ended jobs stays on the nodes, for "
          "yarn.nodemanager.log.retain-seconds (3 h unless set)",
          "switch it on in yarn-site.xml, or read the logs while the job runs");
    }
  }

  void OfResourceManager(HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    if (!rm.ok()) return Problem(rm.error().message, "correct the key that is named");
    const auto metrics = (*rm)->ClusterMetrics();
    if (!metrics.ok()) {
      return Problem(metrics.error().message,
                     "is the ResourceManager running, and may this machine connect to it? The address is that of the "
                     "configuration above");
    }
    const auto nodes = (*rm)->ClusterNodes({});
    if (!nodes.ok()) return Problem(nodes.error().message, "");
    OfNodes(*nodes);
    OfQueues(**rm, cluster.user());
    OfResources(**rm);
  }

  void OfFiles(HadoopClient& cluster) {
    const auto files = cluster.Files();
    if (!files.ok())
      return Problem(files.error().message, "fs.defaultFS has to be HDFS or a directory that all nodes mount");
    const std::string home = (*files)->home_directory();
    const auto found = (*files)->Stat(home);
    if (!found.ok()) {
      const std::string advice =
          found.error().code == ErrorCode::kNotFound
              ? "ask for it: hdfs dfs -mkdir " + home + "; hdfs dfs -chown " + cluster.user() + " " + home
              : "";
      return Problem("the home directory " + (*files)->uri() + home + ": " + found.error().message, advice);
    }
    const Layout places(home);
    Status done = (*files)->MakeDirectories(places.root(), 0711);
    const std::string probe = places.root() + "/doctor-" + std::to_string(getpid());
    if (done.ok()) done = WriteWhole(**files, probe, "howdah", 0600);
    const auto read = done.ok() ? ReadWhole(**files, probe) : Result<std::string>(done.error());
    if (!read.ok() || *read != "howdah") {
      return Problem("writing and reading a file in " + (*files)->uri() + places.root() + ": " +
                         (read.ok() ? "something else came back" : read.error().message),
                     "the user " + cluster.user() + " needs to write there, and this machine to reach the DataNodes");
    }
    if (const Status removed = (*files)->Delete(probe, false); !removed.ok())
      return Problem(removed.error().message, "");
    Ok("a file was written to " + (*files)->uri() + places.root() + ", read back and removed, as " + cluster.user());
    if ((found->permission & 1) == 0) {
      Warning(home + " is closed to others (" + Octal(found->permission) +
                  "): nodes keep a copy of howdah-agent for each user instead of one for all",
              "hdfs dfs -chmod o+x " + home + " lets them share it; nothing else becomes readable");
    }
  }

  void Problem(std::string what, std::string advice) {
    findings_.push_back({Level::kProblem, std::move(what), std::move(advice)});
  }

 private:
  void Ok(std::string what) { findings_.push_back({Level::kOk, std::move(what), ""}); }
  void Warning(std::string what, std::string advice) {
    findings_.push_back({Level::kWarning, std::move(what), std::move(advice)});
  }

  static std::string Octal(uint32_t permission) {
    std::string text;
    for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (permission >> shift & 7));
    return text;
  }

  void OfNodes(const std::vector<::hadoop::yarn::NodeReportProto>& nodes) {
    hadoop::yarn::Resource total;
    size_t running = 0;
    std::vector<std::string> sick;
    for (const auto& node : nodes) {
      if (node.node_state() == ::hadoop::yarn::NS_RUNNING) {
        ++running;
        total += hadoop::yarn::FromProto(node.capability());
      } else if (node.node_state() == ::hadoop::yarn::NS_UNHEALTHY) {
        sick.push_back(node.nodeid().host() + " (" + node.health_report() + ")");
      }
    }
    if (running == 0) {
      Problem("no NodeManager of " + std::to_string(nodes.size()) + " is running" +
                  (sick.empty() ? "" : "; unhealthy: " + Listed(sick)),
              "jobs will wait until one is; an unhealthy node has most often disks that are over 90 % full");
    } else {
      Ok(std::to_string(running) + " NodeManagers run, with " + ToText(total) + " in all");
      if (!sick.empty()) Warning("unhealthy nodes: " + Listed(sick), "they get no containers until that is put right");
    }
  }

  void OfQueues(hadoop::yarn::ResourceManager& rm, const std::string& user) {
    const auto acls = rm.QueueUserAcls();
    if (!acls.ok()) return Problem(acls.error().message, "");
    std::vector<std::string> queues;
    for (const auto& queue : *acls) {
      for (const int acl : queue.useracls()) {
        if (acl == ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS) queues.push_back(queue.queuename());
      }
    }
    if (queues.empty()) {
      return Problem(user + " may submit to no queue", "ask the cluster's administrators (acl_submit_applications)");
    }
    Ok(user + " may submit to the queues " + Listed(queues));
  }

  void OfResources(hadoop::yarn::ResourceManager& rm) {
    const auto types = rm.ResourceTypes();
    if (!types.ok()) return Problem(types.error().message, "");
    std::vector<std::string> names;
    for (const auto& type : *types) names.push_back(type.name());
    Ok("the cluster counts " + Listed(names));
    const auto labels = rm.NodeLabels();
    if (!labels.ok() || labels->empty()) return;
    names.clear();
    for (const auto& label : *labels) names.push_back(label.name());
    Ok("node labels: " + Listed(names));
  }

  const YarnOptions& options_;
  std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> YarnCluster::Examine() {
  std::vector<Finding> findings;
  SetupCheck examination(options_, findings);
  examination.OfAgent();
  const auto cluster = Open();
  if (!cluster.ok()) {
    examination.Problem(cluster.error().message,
                        "set HADOOP_CONF_DIR to the directory that has the cluster's core-site.xml and yarn-site.xml");
    return findings;
  }
  examination.OfConfiguration(**cluster);
  examination.OfResourceManager(**cluster);
  examination.OfFiles(**cluster);
  return findings;
}

}  // namespace howdah::backend::yarn::client
