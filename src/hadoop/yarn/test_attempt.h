// For tests only: the attempt of an application to which the tests' containers belong.
#pragma once

#include "howdah/hadoop/yarn/ids.h"

namespace howdah::hadoop::yarn {

inline const AttemptId kAttempt{{1700000000000, 1}, 1};

}  // namespace howdah::hadoop::yarn
