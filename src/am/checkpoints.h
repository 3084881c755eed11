// What lies in a job's checkpoint directory, for the sentence at its end.
#pragma once

#include <string>

#include "howdah/base/time.h"

namespace howdah::am {

// "the newest checkpoint is step-12 in /ckpt, written 3.2s before the end"; empty: there is none, or directory is no
// path of this machine. Looks at no more than 10,000 names.
std::string NewestCheckpoint(const std::string& directory, Instant end);

}  // namespace howdah::am
