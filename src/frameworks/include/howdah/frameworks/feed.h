// The feeds of a job: the roles that read them, and the options of their ledgers.
#pragma once

#include <vector>

#include "howdah/feed/ledger.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

// Returns the roles whose processes read the feed, as indices into JobSpec::roles, in the order of the job file. By
// default these are the roles of kind worker. The servers of TensorFlow and MXNet (ps, server, scheduler) and
// TensorFlow's evaluator are left out unless no other role is a worker. Each task has RoleSpec::processes readers.
std::vector<int> FeedReadersOf(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed);

// Returns the options of the feed's ledger. If the job file has no split, it is `equal` if the failure of one reader
// stops the others, and else `dynamic`.
feed::Options FeedOptionsOf(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed);

}  // namespace howdah::frameworks
