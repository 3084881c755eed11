// The time limit of readers that wait for rows (ledger.h).
#pragma once

#include <optional>

#include "howdah/base/time.h"
#include "state.h"

namespace howdah::feed {

// Notes whether a reader waits for a source, after the consequences of an event.
void NoteWait(Context& context);
// The time at which the feed fails. nullopt: there is no limit.
std::optional<Instant> TimeLimit(const Context& context);
// Fails the feed if this time has come. Returns whether it did.
bool FailIfLost(Context& context);

}  // namespace howdah::feed
