// The answers about clusters, as JSON and CSV. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster_history.h"
#include "cluster_sample.h"
#include "howdah/index/query/job_page.h"
#include "json_text.h"
#include "node_jobs.h"

namespace howdah::portal {

using Rows = std::vector<index::query::RowPointer>;
// Returns the row of a job of this portal, or nullptr for any other application.
using RowOfJob = std::function<index::query::RowPointer(const std::string& id)>;

// The fields that every answer has for each backend: its name, and how old and complete its state is.
Json ClusterStateJson(const std::string& backend, const ClusterState& state, Instant now);

// The fields of GET cluster. waiting: the waiting jobs of this backend.
Json ClusterJson(const ClusterSample& sample, const Rows& waiting);
// Whole minutes from the first point until now, with null for each minute without a point.
Json ClusterHistoryJson(const ClusterHistory& history, Instant now);

// The elements of the arrays of GET cluster/nodes, cluster/queues and cluster/applications.
Json NodeJson(const backend::NodeInfo& node);
Json NodeJobsJson(const NodeJobs& jobs, const backend::NodeInfo& node, const ClusterSample& sample,
                  const RowOfJob& row);
Json QueuesJson(const ClusterSample& sample, const Rows& waiting);
Json ApplicationsJson(const ClusterSample& sample, const RowOfJob& row);
// Sums over the applications, by the field "type" or "user" of ApplicationsJson; the largest memory first.
Json ApplicationGroupsJson(const Json& applications, const std::string& field);

// One line per object of the array, with these of its fields; a path such as "memory_bytes.used" names an inner field.
// The first column is `backend`.
std::string ClusterCsv(const std::string& backend, const Json& objects, const std::vector<std::string>& fields);
std::string ClusterCsvTitles(const std::vector<std::string>& fields);

}  // namespace howdah::portal
