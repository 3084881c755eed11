#pragma once

#include <chrono>
#include <ratio>

#include "howdah/base/time.h"

namespace howdah::autoscale::model {

inline double HoursOf(Duration time) { return std::chrono::duration<double, std::ratio<3600>>(time).count(); }

}  // namespace howdah::autoscale::model
