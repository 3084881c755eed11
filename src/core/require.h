// What must hold, checked in every build: a core that has lost track of its job must not go on giving orders.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace howdah::core {

inline void Require(bool holds, const char* what) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "howdah job core: broken invariant: %s\n", what);
  std::abort();
}

}  // namespace howdah::core
