// A driver of the user's own, as in TonY's debug mode (tony.horovod.driver.mode.debug). A service with the name
// `driver` serves the rendezvous in place of the AM, and assigns the ranks. It receives the hosts of the workers in
// CLUSTER_WORKER_LIST, and writes its plan as JSON into the directory DRIVER_OUTPUT_PATH. The name of that file begins
// with the port of the rendezvous server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/frameworks/horovod/elastic_rendezvous.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::horovod {

inline constexpr char kDriverOutputVariable[] = "DRIVER_OUTPUT_PATH";

// Returns the role of the user's own driver, or nullopt if the job has none.
std::optional<int> DriverOf(const jobspec::JobSpec& spec);

// Returns the hosts with their numbers of ranks, such as "node1:2,node2:1", in the order of the first rank on each
// host.
std::string WorkerList(const common::Process& process);

// Returns the port in the name of a plan file ("PORT____HOROVOD_RENDEZVOUS_SERVER____"), or nullopt for other files.
std::optional<uint16_t> PortOfPlanFile(std::string_view name);

// Reads the content of a plan file: a list of objects with hostname, rank, size, localRank, localSize, crossRank and
// crossSize. The numbers may be strings.
Result<std::vector<RankAssignment>> ReadDriverPlan(const std::string& text);

// Returns the variables that a worker process gets from the plan. An element of the plan is a "slot" in Horovod's
// terms: the place of one process on a host, with its ranks. position: the index of the process among the processes on
// its host, sorted by rank. As in TonY, the process gets the slot with the same index among the slots of the host,
// sorted by local rank. Returns an error if the plan has no such slot.
Result<jobspec::EnvVars> VariablesFromPlan(const std::vector<RankAssignment>& plan, const std::string& host,
                                           int position, uint16_t port);

}  // namespace howdah::frameworks::horovod
