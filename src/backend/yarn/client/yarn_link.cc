#include "yarn_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/autoscale/exclude_file.h"
#include "howdah/base/text.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/yarn/admin.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/run_script.h"
#include "wanted.h"

namespace howdah::backend::yarn::client {
namespace {

using autoscale::ClusterSeen;
using autoscale::NodeChecked;
using autoscale::NodeReport;

constexpr const char* kRoot = "root";

NodeReport::State StateOf(::hadoop::yarn::NodeStateProto state) {
  switch (state) {
    case ::hadoop::yarn::NS_RUNNING:
      return NodeReport::State::kRunning;
    case ::hadoop::yarn::NS_UNHEALTHY:
      return NodeReport::State::kUnhealthy;
    case ::hadoop::yarn::NS_DECOMMISSIONING:
      return NodeReport::State::kDecommissioning;
    case ::hadoop::yarn::NS_DECOMMISSIONED:
      return NodeReport::State::kDecommissioned;
    default:
      return NodeReport::State::kGone;
  }
}

NodeReport NodeOf(const ::hadoop::yarn::NodeReportProto& report, const std::set<std::string>& am_hosts) {
  NodeReport node;
  node.name = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.nodeid()));
  node.host = report.nodeid().host();
  node.state = StateOf(report.node_state());
  node.label = report.node_labels_size() > 0 ? report.node_labels(0) : "";
  node.total = ToAdmission(hadoop::yarn::FromProto(report.capability()));
  node.used = ToAdmission(hadoop::yarn::FromProto(report.used()));
  node.containers = std::max(report.numcontainers(), 0);
  node.has_am = am_hosts.contains(node.host);
  return node;
}

}  // namespace

YarnLink::YarnLink(const HadoopClient& cluster, autoscale::Provider provider)
    : provider_(std::move(provider)),
      cluster_(cluster.WithOwnConnections()),
      admin_(cluster.WithOwnConnections()),
      web_(cluster) {}

Result<ClusterSeen> YarnLink::Observe() {
  HOWDAH_TRY(const auto rm, cluster_.Rm());
  HOWDAH_TRY(const auto reports, rm->ClusterNodes({}));
  HOWDAH_TRY(const std::string page, web_.Get("/ws/v1/cluster/apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"));
  const std::vector<LiveApplication> applications = ParseApplications(page);
  std::set<std::string> am_hosts;
  for (const LiveApplication& application : applications) am_hosts.insert(application.am_host);
  ClusterSeen seen;
  for (const auto& report : reports) {
    seen.nodes.push_back(NodeOf(report, am_hosts));
  }
  counts_vcores_ = counts_vcores_ && CountsVcores(reports);
  HOWDAH_TRY(const std::string scheduler, web_.Get("/ws/v1/cluster/scheduler"));
  seen.queues = ParseQueues(scheduler);
  HOWDAH_TRY_STATUS(AddQueue(applications, seen));
  HOWDAH_TRY_STATUS(AddMetrics(seen));
  if (!counts_vcores_) ForgetVcores(seen);
  const std::lock_guard lock(mutex_);
  pages_.clear();
  others_.clear();
  for (const auto& report : reports) {
    pages_[hadoop::yarn::ToText(hadoop::yarn::FromProto(report.nodeid()))] = report.httpaddress();
  }
  for (const LiveApplication& application : applications) {
    if (application.type != kApplicationType) others_.insert(application.id);
  }
  return seen;
}

Status YarnLink::AddQueue(const std::vector<LiveApplication>& applications, ClusterSeen& seen) {
  HOWDAH_TRY(const auto rm, cluster_.Rm());
  HOWDAH_TRY_STATUS(reader_.ReadApplications(*rm));
  std::set<std::string> labels;
  for (const auto& report : reader_.reports().applications) labels.insert(LabelOf(report));
  for (const std::string& label : labels) {
    HOWDAH_TRY_STATUS(reader_.ReadJobs(*rm, {.label = label}, /*with_held=*/false));
  }
  seen.wanted = WantedOf(reader_.reports(), applications, provider_.elastic_max);
  return {};
}

Status YarnLink::AddMetrics(ClusterSeen& seen) {
  HOWDAH_TRY(const auto rm, cluster_.Rm());
  HOWDAH_TRY(const auto root, rm->QueueInfo(kRoot));
  const auto& statistics = root.queuestatistics();
  seen.metrics = {.pending_mib = static_cast<double>(statistics.pendingmemorymb()),
                  .available_mib = static_cast<double>(statistics.availablememorymb()),
                  .pending_vcores = static_cast<double>(statistics.pendingvcores()),
                  .available_vcores = static_cast<double>(statistics.availablevcores())};
  return {};
}

NodeChecked::Answer YarnLink::Check(const autoscale::CheckNode& order) {
  std::string address;
  std::set<std::string> others;
  {
    const std::lock_guard lock(mutex_);
    const auto page = pages_.find(order.name);
    if (page != pages_.end()) address = page->second;
    others = others_;
  }
  if (address.empty()) return NodeChecked::Answer::kUnreadable;
  const auto page = web_.GetFromNode(address, "/ws/v1/node/apps");
  if (!page.ok()) {
    return page.error().code == ErrorCode::kUnavailable ? NodeChecked::Answer::kGone : NodeChecked::Answer::kUnreadable;
  }
  const auto ids = ParseNodeApplications(*page);
  if (!ids) return NodeChecked::Answer::kUnreadable;
  const bool has_others = std::ranges::any_of(*ids, [&](const std::string& id) { return others.contains(id); });
  return has_others ? NodeChecked::Answer::kHasOthers : NodeChecked::Answer::kFree;
}

Result<std::string> YarnLink::ReadExcludeFile() const {
  if (!provider_.exclude.read.empty()) {
    return os::process::RunScriptForOutput("exclude.read",
                                           {.script = provider_.exclude.read, .limit = provider_.timeout});
  }
  auto text = os::files::ReadFile(provider_.exclude.path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

Status YarnLink::WriteExcludeFile(const std::string& text) const {
  if (provider_.exclude.write.empty()) return os::files::WriteFileAtomically(provider_.exclude.path, text);
  const auto written = os::process::RunScriptForOutput(
      "exclude.write", {.script = provider_.exclude.write, .input = text, .limit = provider_.timeout});
  return written.ok() ? Status() : Status(written.error());
}

Status YarnLink::Exclude(const autoscale::SetExcluded& order) {
  HOWDAH_TRY(const std::string present, ReadExcludeFile());
  HOWDAH_TRY(const std::string changed,
             autoscale::WithExcluded(present, provider_.exclude.format(), order.own, order.timeouts));
  if (changed != present) HOWDAH_TRY_STATUS(WriteExcludeFile(changed));
  HOWDAH_TRY(auto admin, admin_.OpenAdmin());
  return admin.RefreshNodes(order.kind == autoscale::SetExcluded::Kind::kAtOnce
                                ? hadoop::yarn::Decommission::kAtOnce
                                : hadoop::yarn::Decommission::kGracefully,
                            order.longest);
}

Status YarnLink::Publish(const std::string& text) {
  HOWDAH_TRY(const auto files, admin_.OpenFiles(provider_.publish));
  return files->Write(hadoop::hdfs::PathOf(provider_.publish), text);
}

autoscale::ClusterLink::Finding YarnLink::CheckPublish() const {
  const std::string path = hadoop::hdfs::PathOf(provider_.publish);
  const std::string directory = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
  const auto files = admin_.OpenFiles(provider_.publish);
  const auto listed = files.ok() ? (*files)->List(directory) : files.error();
  if (!listed.ok()) {
    return {false, "publish: " + listed.error().message + "; the directory must exist, and all users must have access"};
  }
  return {true, "publish: the directory " + directory + " exists"};
}

std::vector<autoscale::ClusterLink::Finding> YarnLink::CheckSetup(const Result<ClusterSeen>& seen) {
  std::vector<Finding> findings;
  const auto running = [&] { return std::ranges::count(seen->nodes, NodeReport::State::kRunning, &NodeReport::state); };
  findings.push_back({seen.ok(), seen.ok()
                                     ? "the ResourceManager answers; " + CountOf(running(), "node runs", "nodes run")
                                     : seen.error().message});
  auto admin = admin_.OpenAdmin();
  const auto right = admin.ok() ? admin->DecommissioningNodes() : admin.error();
  findings.push_back({right.ok(), right.ok()
                                      ? admin_.user() + " may administer the ResourceManager"
                                      : right.error().message + "; add the user to yarn.admin.acl in yarn-site.xml"});
  const auto page = web_.Get("/conf?name=yarn.resourcemanager.nodes.exclude-path");
  const std::string path = page.ok() ? ParseProperty(*page) : "";
  if (!page.ok()) {
    findings.push_back({false, page.error().message});
  } else if (path != provider_.exclude.path) {
    findings.push_back({false, "exclude.path is " + provider_.exclude.path +
                                   ", but yarn.resourcemanager.nodes.exclude-path of the ResourceManager is " +
                                   (path.empty() ? "not set" : path)});
  } else {
    findings.push_back({true, "the exclude file is the one of the ResourceManager: " + path});
  }
  const auto text = ReadExcludeFile();
  const auto hosts = text.ok() ? autoscale::ExcludedHosts(*text, provider_.exclude.format()) : text.error();
  findings.push_back({hosts.ok(), hosts.ok() ? "the exclude file can be read; it has " +
                                                   CountOf(static_cast<int64_t>(hosts->size()), "host")
                                             : hosts.error().message});
  if (!provider_.publish.empty()) findings.push_back(CheckPublish());
  if (!provider_.exclude.is_xml()) {
    findings.push_back({true,
                        "the exclude file is a plain one, so one timeout holds for all nodes that drain, and a "
                        "node that is free waits for the others; a file ending in .xml avoids this"});
  }
  return findings;
}

}  // namespace howdah::backend::yarn::client
