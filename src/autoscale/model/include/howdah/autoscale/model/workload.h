// The nodes and jobs of a simulation. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/admission/gang_tag.h"
#include "howdah/autoscale/provider.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/keyfile/problem.h"

namespace howdah::autoscale::model {

struct WorkJob {
  std::string id;
  Duration at{0};   // of its submission, after the begin
  Duration run{0};  // of its gang, without the start
  std::vector<admission::Tasks> tasks;
  // Whether its tasks save their work and leave a node that drains, as those of Howdah do.
  bool moves = true;
};

struct Workload {
  NodeShape node;
  Duration boot = std::chrono::seconds(100);  // from the order of a node to its registration
  std::optional<std::pair<int, int>> bounds;  // of the primary group; replace those of the policy
  std::vector<WorkJob> jobs;                  // in the order of `at`
};

// The model `demo`: ten TensorFlow jobs, then a PyTorch job, on nodes of 12 GiB and 4 vcores.
Workload Demo(Duration run);
// The model `fleet`: a day of jobs on at most `nodes` nodes of 240 GiB, 64 vcores and 4 GPUs. They offer a load of 0.4
// × nodes on average. memory_mib: of a task with one GPU. seed: determines the jobs.
Workload Fleet(int nodes, int64_t memory_mib, uint64_t seed);

// Parses the name of a model: "demo", "demo:240s", "fleet:100", "fleet:100:30GiB". nullopt: it names none. kUsage: it
// names one, with an invalid size.
Result<std::optional<Workload>> ModelOf(const std::string& name, uint64_t seed);

// Parses a workload file, YAML or JSON.
keyfile::Contents<Workload> ParseWorkload(std::string_view text, const std::string& file);

}  // namespace howdah::autoscale::model
