// Rows arrive: from sources, from the store of an executor, and from other executors.
#pragma once

#include "howdah/feed/event.h"
#include "state.h"

namespace howdah::feed {

// Each returns whether the state has changed.
bool TakeRows(Context& context, const RowsReceived& event);
bool TakeMovedRows(Context& context, const RowsMoved& event);
bool NotePartitionEnd(Context& context, const PartitionEnded& event);
bool NoteSourceEnd(Context& context, const SourceEnded& event);

// The answer to a source that wants to supply a partition. The arguments are those of Ledger::Ask.
Answer AnswerSource(const Context& context, int64_t pass, PartitionId partition, int near, int reader);

}  // namespace howdah::feed
