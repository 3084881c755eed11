// The parts of a process's environment that concern its ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/frameworks/common/process.h"
#include "howdah/frameworks/horovod/elastic_rendezvous.h"

namespace howdah::frameworks::horovod {

// Returns each machine and its number of ranks, in the order of the first rank on each machine.
std::vector<std::pair<std::string, int>> HostsInRankOrder(const common::Process& process);

// Sets HOROVOD_RANK and the other variables of an assignment.
void SetRanks(const RankAssignment& own, jobspec::EnvVars& env);

}  // namespace howdah::frameworks::horovod
