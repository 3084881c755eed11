// Events and actions as text, for traces.
#pragma once

#include <string>

#include "howdah/feed/action.h"
#include "howdah/feed/event.h"

namespace howdah::testing::feed_sim {

std::string ToText(const feed::Event& event);
std::string ToText(const feed::Action& action);

}  // namespace howdah::testing::feed_sim
