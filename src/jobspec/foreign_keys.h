// Keys of other tools' job files, each with the key of a Howdah job file that has the same effect.
#pragma once

#include <string_view>

namespace howdah::jobspec {

struct ForeignKey {
  std::string_view name;
  std::string_view key;  // "restart.max"
  bool of_role = true;   // whether the key belongs to a role, not to the job
};

// Finds a key of torchrun, Kubeflow, SkyPilot, Slurm, docker or Ray. Case, dashes and underscores do not matter.
// Returns null for all other keys.
const ForeignKey* FindForeignKey(std::string_view name);

}  // namespace howdah::jobspec
