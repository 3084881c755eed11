// The key `feeds` of the job file: a map of feeds by name.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::jobspec {

keyfile::ValueType<std::vector<FeedSpec>> Feeds();

// Reports the violations of the rules that involve several keys of a feed, or a feed and the rest of the job.
void CheckFeeds(const JobSpec& spec, keyfile::Reader& reader);

}  // namespace howdah::jobspec
