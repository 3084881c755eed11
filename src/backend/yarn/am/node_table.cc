#include "node_table.h"

#include <algorithm>
#include <iostream>
#include <utility>

namespace howdah::backend::yarn::am {
namespace {

std::vector<hadoop::yarn::KnownNode> NodesOf(const AmStart& start, const hadoop::yarn::Allocation& allocation) {
  std::vector<hadoop::yarn::KnownNode> nodes;
  for (const CandidateNode& node : start.nodes) {
    nodes.push_back({allocation.NameOf(hadoop::yarn::ToProto(hadoop::yarn::NodeId{node.host, node.port})), node.rack,
                     node.label, node.total, node.attributes});
  }
  return nodes;
}

}  // namespace

NodeTable::NodeTable(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, HadoopClient cluster,
                     const AmStart& start, const jobspec::JobSpec& spec)
    : scheduler_(scheduler),
      query_(loop, std::move(cluster)),
      needs_attributes_(std::any_of(spec.roles.begin(), spec.roles.end(),
                                    [](const jobspec::RoleSpec& role) { return !role.placement.attributes.empty(); })) {
  scheduler_.SetNodes(NodesOf(start, scheduler_.allocation()));
}

void NodeTable::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  if (response.updated_nodes_size() == 0) return;
  std::vector<hadoop::yarn::KnownNode> nodes = scheduler_.allocation().nodes().all();
  bool joined = false;
  for (const auto& report : response.updated_nodes()) {
    const std::string name = scheduler_.allocation().NameOf(report.nodeid());
    const auto known = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const hadoop::yarn::KnownNode& node) { return node.name == name; });
    hadoop::yarn::NodeAttributes attributes;
    if (known != nodes.end()) {
      attributes = std::move(known->attributes);
      nodes.erase(known);
    } else {
      joined = true;
    }
    if (report.node_state() != ::hadoop::yarn::NS_RUNNING) continue;
    nodes.push_back({name, report.rackname(), report.node_labels_size() > 0 ? report.node_labels(0) : "",
                     hadoop::yarn::FromProto(report.capability()), std::move(attributes)});
  }
  scheduler_.SetNodes(std::move(nodes));
  if (joined && needs_attributes_) QueryAttributes();
}

void NodeTable::QueryAttributes() {
  again_ = query_.running();
  if (again_) return;
  query_.Start([this](HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    auto reports = rm.ok() ? (*rm)->ClusterNodes() : rm.error();
    return [this, reports = std::move(reports)] { OnReports(reports); };
  });
}

void NodeTable::OnReports(const Result<std::vector<::hadoop::yarn::NodeReportProto>>& reports) {
  if (std::exchange(again_, false)) QueryAttributes();
  if (!reports.ok()) {
    std::cerr << "reading the attributes of the nodes: " << reports.error().message << "\n";
    return;
  }
  std::vector<hadoop::yarn::KnownNode> nodes = scheduler_.allocation().nodes().all();
  for (const auto& report : *reports) {
    const std::string name = scheduler_.allocation().NameOf(report.nodeid());
    for (hadoop::yarn::KnownNode& node : nodes) {
      if (node.name == name) node.attributes = hadoop::yarn::AttributesOf(report);
    }
  }
  scheduler_.SetNodes(std::move(nodes));
}

}  // namespace howdah::backend::yarn::am
