// Describes the queue of gangs (howdah/admission/queue.h) for clients.
#pragma once

#include <string>
#include <vector>

#include "howdah/admission/queue.h"
#include "howdah/backend/job_queue.h"

namespace howdah::backend {

// Returns the entry of a job of the cluster, as it follows from the places of the waiting jobs. Pure. The caller adds
// the name and the time of submission.
QueuedJob QueuedJobOf(const admission::Cluster& cluster, const std::vector<admission::Place>& places,
                      const admission::Job& job);

// Sets `held` and its text.
void SetHeld(QueuedJob& job, const admission::Resources& sum, int64_t containers);

// Sorts the jobs: those that run by submission, then those that wait by position.
void SortQueue(std::vector<QueuedJob>& jobs);

}  // namespace howdah::backend
