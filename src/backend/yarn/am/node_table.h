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

// Used on the AM's loop thread only.
class NodeTable {
 public:
  // Gives the nodes of the submission to the scheduler's client. `scheduler` must live as long as this object.
  NodeTable(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, HadoopClient cluster,
            const AmStart& start, const jobspec::JobSpec& spec);

  // Takes over the changes in an answer of the ResourceManager. The answer lacks the attributes of nodes, so they are
  // queried for a new node if a role needs them. Until then the node gets no container of such a role.
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  void QueryAttributes();
  void OnReports(const Result<std::vector<::hadoop::yarn::NodeReportProto>>& reports);

  hadoop::yarn::Scheduler& scheduler_;
  BackgroundQuery query_;
  const bool needs_attributes_;
  bool again_ = false;  // nodes have joined since the running query began
};

}  // namespace howdah::backend::yarn::am
