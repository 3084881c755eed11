// The file that the cluster's autoscaler publishes.
#pragma once

#include <string>

#include "howdah/autoscale/publication.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::backend::yarn::client {

// place: the URI or path of the file. The error names the place.
Result<autoscale::Publication> ReadPublished(const HadoopClient& cluster, const std::string& place);

// Sets growth and no_growth of the facts.
void AddGrowth(const Result<autoscale::Publication>& published, Instant now, ClusterFacts& facts);

}  // namespace howdah::backend::yarn::client
