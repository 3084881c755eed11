// The nodes that can run the job's containers, kept up to date for the scheduler's client.
#pragma once

#include <boost/asio/io_context.hpp>
#include <vector>

#include "background_query.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::am {

// The running nodes of a cluster, by the ids of their NodeManagers. Pure.
class NodeList {
 public:
  explicit NodeList(std::vector<CandidateNode> nodes) : nodes_(std::move(nodes)) {}

  // Takes over the change of a node in an answer of the ResourceManager, which lacks the attributes of the node.
  // Returns whether the node is new.
  bool Change(const ::hadoop::yarn::NodeReportProto& report);
  // Replaces the list with the reports of all nodes.
  void Replace(const std::vector<::hadoop::yarn::NodeReportProto>& reports);
  // Returns one node for each of the scheduler's names. A NodeManager that has restarted with another port is listed
  // twice until the old one has expired; the node that was reported last counts.
  std::vector<hadoop::yarn::KnownNode> Named(const hadoop::yarn::Allocation& allocation) const;

 private:
  std::vector<CandidateNode> nodes_;  // in the order of their newest reports
};

// Used on the AM's loop thread only.
class NodeTable {
 public:
  struct Job {
    const AmStart& start;
    const jobspec::JobSpec& spec;
    // Whether an earlier AM of the job has registered. The ResourceManager reports each change of a node only once to
    // the AMs of a job, so all nodes are queried.
    bool has_earlier_am = false;
  };
  // Gives the nodes of the submission to the scheduler's client. `scheduler` must live as long as this object.
  NodeTable(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, HadoopClient cluster, const Job& job);

  // Takes over the changes in an answer of the ResourceManager. The answer lacks the attributes of nodes, so all nodes
  // are queried if a node is new and a role needs attributes. Until then the node gets no container of such a role.
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  void Publish() { scheduler_.SetNodes(nodes_.Named(scheduler_.allocation())); }
  void Query();
  void OnReports(const Result<std::vector<::hadoop::yarn::NodeReportProto>>& reports);

  hadoop::yarn::Scheduler& scheduler_;
  BackgroundQuery query_;
  NodeList nodes_;
  const bool needs_attributes_;
  bool again_ = false;  // nodes have changed since the running query began
};

}  // namespace howdah::backend::yarn::am
