// The course of a pass: it is opened, rows are requested, positions are sealed, and it is closed.
#pragma once

#include "howdah/feed/event.h"
#include "state.h"

namespace howdah::feed {

// All readers that are not lost return to the last commit, with new incarnations.
void BeginRound(Context& context);
// A lost reader starts again, with the passes that are under way.
void RestartReader(Context& context, int rank);
// The rows of a lost reader that it has not committed become missing.
void LoseReader(Context& context, int rank);

// Closes and opens passes as far as possible.
void AdvancePasses(Context& context);
void SealRows(Context& context);
void RequestRowsOnce(Context& context);
void GrantCredits(Context& context);
// Ends the feed when all passes were read.
void EndWhenRead(Context& context);
void Fail(Context& context, FailFeed::Why why, std::string message);

// Whether all rows of the pass are accepted.
bool IsComplete(const Context& context, const Pass& pass);
// Whether the reader's executor may receive more rows from sources.
bool HasRoom(const Context& context, int rank);
// Orders that were carried out may be repeated.
void RepeatOrders(Context& context, int rank);
RequestRows MissingRows(const Context& context, const Pass& pass);

}  // namespace howdah::feed
