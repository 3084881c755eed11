#include "doctor.h"

#include <unistd.h>

#include <functional>
#include <map>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/job_tokens.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/base/bytes.h"
#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn::client {
namespace {

using Finding = backend::Finding;
using Level = Finding::Level;

constexpr size_t kMaxListed = 6;

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == kMaxListed) return text + ", ...";
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

class SetupCheck {
 public:
  SetupCheck(const YarnOptions& options, std::vector<Finding>& findings) : options_(options), findings_(findings) {}

  void CheckAgent() {
    if (access(options_.agent.c_str(), R_OK) == 0) return Ok("howdah-agent is at " + options_.agent);
    Problem("howdah-agent not found at " + options_.agent,
            "put howdah-agent of the same build into the directory of howdah");
  }

  void CheckConfiguration(const HadoopClient& cluster) {
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
      if (const auto value = configuration.Get(key)) OkKey(configuration, key, *value);
    }
    for (const std::string& warning : configuration.warnings) Warning(warning, "");
    if (const auto logs = configuration.Bool("yarn.log-aggregation-enable", false); logs.ok() && !*logs) {
      Warning(
          "yarn.log-aggregation-enable is off: output of ended jobs stays on the nodes, for "
          "yarn.nodemanager.log.retain-seconds (3 h unless set)",
          "enable it in yarn-site.xml, or read the logs while the job runs");
    }
  }

  // Reports the ticket, and the account to which the cluster maps its principal.
  void CheckTicket(const HadoopClient& cluster) {
    if (!cluster.kerberos()) return;
    const auto& configuration = cluster.configuration();
    if (const auto name = configuration.environment().variable("HADOOP_USER_NAME"); name && !name->empty()) {
      Warning("HADOOP_USER_NAME is " + *name + ", which has no effect on a cluster with Kerberos",
              "unset it; to act as another user, use --as");
    }
    const Result<ClientLogin>& login = *cluster.kerberos();
    if (!login.ok()) {
      const Error& error = login.error();
      return Problem(error.WithoutRemedy(), error.remedy.empty() ? "correct this" : error.remedy);
    }
    const auto& ticket = login->ticket;
    Ok("Kerberos: " + ticket.principal + " from " + ticket.source + ", valid until " + FormatInstant(ticket.expires) +
       (ticket.renewable_until ? ", renewable until " + FormatInstant(*ticket.renewable_until) : "") +
       "; the account is " + login->short_name + " (hadoop.security.auth_to_local)");
    if (!login->on_behalf_of.empty()) Ok("acting as " + login->on_behalf_of + " (--as or HADOOP_PROXY_USER)");
  }

  // Reports the KDCs that have answered while the cluster was checked.
  void CheckKdcs(const HadoopClient& cluster) {
    if (!cluster.kerberos() || !cluster.kerberos()->ok()) return;
    for (const auto& kdc : (*cluster.kerberos())->login->answers()) {
      Ok("the KDC of " + kdc.realm + ", " + kdc.address + ", answered within " + FormatDuration(kdc.took) +
         (kdc.ahead == Duration(0) ? ""
                                   : "; this machine's clock is " + FormatDuration(std::chrono::abs(kdc.ahead)) +
                                         (kdc.ahead < Duration(0) ? " behind it" : " ahead of it")));
    }
  }

  void CheckResourceManager(HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    if (!rm.ok()) return Problem(rm.error().message, "correct this key");
    const auto metrics = (*rm)->ClusterMetrics();
    if (!metrics.ok()) {
      return Problem(
          metrics.error().message,
          "check that the ResourceManager is running and that this machine can connect to the address of the "
          "configuration above");
    }
    if (const std::string security = (*rm)->security(); cluster.kerberos() && !security.empty()) {
      Ok("connected to the ResourceManager " + security);
    }
    const auto nodes = (*rm)->ClusterNodes({});
    if (!nodes.ok()) return Problem(nodes.error().message, "");
    CheckNodes(*nodes);
    CheckQueues(**rm, cluster.user());
    CheckResources(**rm);
  }

  void CheckFileSystem(HadoopClient& cluster) {
    const auto files = cluster.Files();
    if (!files.ok())
      return Problem(files.error().message, "set fs.defaultFS to HDFS or to a directory that all nodes mount");
    const std::string home = (*files)->home_directory();
    const auto found = (*files)->Stat(home);
    if (!found.ok()) {
      const std::string advice =
          found.error().code == ErrorCode::kNotFound
              ? "ask an administrator: hdfs dfs -mkdir " + home + "; hdfs dfs -chown " + cluster.user() + " " + home
              : "check that the NameNode is running, and that this machine can connect to it";
      return Problem("the home directory " + (*files)->uri() + home + ": " + found.error().message, advice);
    }
    const Layout layout(home);
    Status done = (*files)->MakeDirectories(layout.root(), 0711);
    const std::string probe = layout.root() + "/doctor-" + std::to_string(getpid());
    if (done.ok()) done = WriteWhole(**files, probe, "howdah", 0600);
    const auto read = done.ok() ? ReadWhole(**files, probe) : Result<std::string>(done.error());
    if (!read.ok() || *read != "howdah") {
      return Problem("writing and reading a file in " + (*files)->uri() + layout.root() + ": " +
                         (read.ok() ? "read back other content" : read.error().message),
                     "the user " + cluster.user() +
                         " needs write permission there, and this machine must be able to connect to the DataNodes");
    }
    if (const Status removed = (*files)->Delete(probe, false); !removed.ok())
      return Problem(removed.error().message, "");
    Ok("wrote, read and deleted a file in " + (*files)->uri() + layout.root() + " as " + cluster.user());
    if (const std::string security = (*files)->server_security(); cluster.kerberos() && !security.empty()) {
      Ok("connected to the NameNode " + security);
    }
    if (const std::string protection = (*files)->transfer_protection(); !protection.empty() && cluster.kerberos()) {
      Ok("transfers between this machine and the DataNodes are " + protection);
    }
    if (const std::string encryption = (*files)->encryption(); !encryption.empty()) {
      Ok(home + " is in an encryption zone, and " + cluster.user() + " may use " + encryption);
    }
    if ((found->permission & 1) != 0) {
      Ok("howdah-agent is public: nodes keep one copy of it for all users");
    } else {
      Warning(home + " is not accessible to other users (" + Octal(found->permission) +
                  "): nodes keep one copy of howdah-agent per user instead of one for all",
              "hdfs dfs -chmod o+x " + home + " lets all users share one copy; nothing else becomes readable");
    }
  }

  // Fetches the tokens that a job would get.
  void CheckTokens(HadoopClient& cluster) {
    if (!cluster.kerberos() || !cluster.kerberos()->ok()) return;
    const auto tokens = FetchNewerTokens(cluster, jobspec::JobSpec(), "");
    if (!tokens.ok()) {
      const Error error = tokens.error().While("fetching the tokens of a job");
      return Problem(error.WithoutRemedy(), error.remedy);
    }
    const auto lifetime = LifetimeOf(*tokens);
    const auto issued = OldestIssue(*tokens);
    if (!lifetime || !issued) return;
    std::string found;
    for (const auto& [alias, token] : tokens->tokens) {
      const auto identifier = hadoop::rpc::ParseTokenIdentifier(token);
      if (!identifier) continue;
      found += (found.empty() ? "" : ", ") + token.kind + " of " + token.service + " for " +
               FormatDuration(identifier->expires - identifier->issued);
    }
    Ok("tokens of jobs: " + found + ", if the ResourceManager renews them; otherwise for " +
       FormatDuration(lifetime->until - *issued));
  }

  void Problem(std::string what, std::string advice) {
    findings_.push_back({Level::kProblem, std::move(what), std::move(advice)});
  }

  // Reports an error of the configuration. The remedy of the error becomes the advice of the finding.
  void BadConfiguration(const Error& error) {
    Problem(error.WithoutRemedy(), error.remedy.empty() ? "correct this file" : error.remedy);
  }

 private:
  void OkKey(const hadoop::conf::Configuration& configuration, const std::string& key, const std::string& value) {
    const hadoop::conf::Property* property = configuration.Find(key);
    Ok(key + ": " + value + " (" + (property == nullptr ? "a default of Hadoop" : property->origin) + ")");
  }
  void Ok(std::string what) { findings_.push_back({Level::kOk, std::move(what), ""}); }
  void Warning(std::string what, std::string advice) {
    findings_.push_back({Level::kWarning, std::move(what), std::move(advice)});
  }

  static std::string Octal(uint32_t permission) {
    std::string text;
    for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (permission >> shift & 7));
    return text;
  }

  void CheckNodes(const std::vector<::hadoop::yarn::NodeReportProto>& nodes) {
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
      Problem("none of " + std::to_string(nodes.size()) + " NodeManagers is running" +
                  (sick.empty() ? "" : "; unhealthy: " + Listed(sick)),
              "jobs wait until one is running; the usual cause of an unhealthy node is disks over 90 % full");
    } else {
      Ok(std::to_string(running) + " NodeManagers are running with a total of " + ToText(total));
      if (!sick.empty())
        Warning("unhealthy nodes: " + Listed(sick), "YARN grants no containers on them until they are healthy");
    }
  }

  void CheckQueues(hadoop::yarn::ResourceManager& rm, const std::string& user) {
    const auto acls = rm.QueueUserAcls();
    if (!acls.ok()) return Problem(acls.error().message, "");
    const std::vector<std::string> queues = AllowedQueues(*acls);
    if (queues.empty()) {
      return Problem(user + " may not submit to any queue", "ask the administrators for acl_submit_applications");
    }
    Ok(user + " may submit to the queues " + Listed(queues));
  }

  void CheckResources(hadoop::yarn::ResourceManager& rm) {
    const auto types = rm.ResourceTypes();
    if (!types.ok()) return Problem(types.error().message, "");
    std::vector<std::string> names;
    for (const auto& type : *types) names.push_back(type.name());
    Ok("resource types: " + Listed(names));
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

std::vector<Finding> CheckSetup(const YarnOptions& options, const Result<HadoopClient*>& cluster) {
  std::vector<Finding> findings;
  SetupCheck check(options, findings);
  check.CheckAgent();
  if (!cluster.ok()) {
    check.BadConfiguration(cluster.error());
    return findings;
  }
  check.CheckConfiguration(**cluster);
  check.CheckTicket(**cluster);
  check.CheckResourceManager(**cluster);
  check.CheckFileSystem(**cluster);
  check.CheckTokens(**cluster);
  check.CheckKdcs(**cluster);
  return findings;
}

}  // namespace howdah::backend::yarn::client
