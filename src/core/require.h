// Invariants, checked in every build: a core with inconsistent state must not give further orders.
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
