#include "node_table.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include "howdah/backend/yarn/cluster_facts.h"

namespace howdah::backend::yarn::am {
namespace {

bool NeedsAttributes(const jobspec::JobSpec& spec) {
  return std::any_of(spec.roles.begin(), spec.roles.end(),
                     [](const jobspec::RoleSpec& role) { return !role.placement.attributes.empty(); });
}

CandidateNode NodeOf(const ::hadoop::yarn::NodeReportProto& report) {
  const NodeFacts facts = FactsOf(report);
  return {facts.host, facts.port, facts.rack, facts.label, facts.total, facts.attributes};
}

}  // namespace

bool NodeList::Change(const ::hadoop::yarn::NodeReportProto& report) {
  CandidateNode node = NodeOf(report);
  const auto known = std::find_if(nodes_.begin(), nodes_.end(), [&](const CandidateNode& other) {
    return other.host == node.host && other.port == node.port;
  });
  const bool is_new = known == nodes_.end();
  if (!is_new) {
    node.attributes = std::move(known->attributes);
    nodes_.erase(known);
  }
  if (report.node_state() != ::hadoop::yarn::NS_RUNNING) return false;
  nodes_.push_back(std::move(node));
  return is_new;
}

void NodeList::Replace(const std::vector<::hadoop::yarn::NodeReportProto>& reports) {
  nodes_.clear();
  for (const auto& report : reports) {
    if (report.node_state() == ::hadoop::yarn::NS_RUNNING) nodes_.push_back(NodeOf(report));
  }
}

std::vector<hadoop::yarn::KnownNode> NodeList::Named(const hadoop::yarn::Allocation& allocation) const {
  std::vector<hadoop::yarn::KnownNode> named;
  std::map<std::string, size_t> positions;
  for (const CandidateNode& node : nodes_) {
    const std::string name = allocation.NameOf(hadoop::yarn::ToProto(hadoop::yarn::NodeId{node.host, node.port}));
    const auto [position, added] = positions.try_emplace(name, named.size());
    if (added) named.emplace_back();
    named[position->second] = {name, node.rack, node.label, node.total, node.attributes};
  }
  return named;
}

NodeTable::NodeTable(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, HadoopClient cluster,
                     const Job& job)
    : scheduler_(scheduler),
      query_(loop, std::move(cluster)),
      nodes_(job.start.nodes),
      needs_attributes_(NeedsAttributes(job.spec)) {
  Publish();
  if (job.has_earlier_am) Query();
}

void NodeTable::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  if (response.updated_nodes_size() == 0) return;
  bool joined = false;
  for (const auto& report : response.updated_nodes()) joined = nodes_.Change(report) || joined;
  Publish();
  if (query_.running() || (joined && needs_attributes_)) Query();
}

void NodeTable::Query() {
  again_ = query_.running();
  if (again_) return;
  query_.Start([this](HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    auto reports = rm.ok() ? (*rm)->ClusterNodes() : rm.error();
    return [this, reports = std::move(reports)] { OnReports(reports); };
  });
}

void NodeTable::OnReports(const Result<std::vector<::hadoop::yarn::NodeReportProto>>& reports) {
  if (std::exchange(again_, false)) Query();
  if (!reports.ok()) {
    std::cerr << reports.error().message << "; nodes that have joined since the submission may get no tasks\n";
    return;
  }
  nodes_.Replace(*reports);
  Publish();
}

}  // namespace howdah::backend::yarn::am
