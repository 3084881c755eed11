// The end of a pass: how many rows each reader gets, and which rows move.
#pragma once

#include "state.h"

namespace howdah::feed {

// Closes the pass if every row is accepted and every reader has stated its batch size (`dynamic`: and has read its
// rows). Orders moves and ClosePass. Returns whether the pass was closed.
bool TryClose(Context& context, Pass& pass);
// The order that ends the pass for a reader.
ClosePass CloseOrder(const Context& context, const Pass& pass, int rank);
// Adds a move to the end of the reader's lane, and orders it.
void OrderMove(Context& context, Pass& pass, int rank, int from, const Segment& segment);
Reassign MoveOrder(const Context& context, const Pass& pass, int rank, const Move& move);

}  // namespace howdah::feed
