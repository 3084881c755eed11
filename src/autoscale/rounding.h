// Numbers of nodes from products of fractions.
#pragma once

namespace howdah::autoscale {

// Products such as 0.1 × 30 may be a little above or below the whole number that is meant.
inline constexpr double kRounding = 1e-9;

}  // namespace howdah::autoscale
