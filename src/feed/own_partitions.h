// Sources that supply each reader with partitions of its own: the files of a feed.
#pragma once

#include <vector>

#include "howdah/feed/ledger.h"
#include "state.h"

namespace howdah::feed {

// The answer to a source that wants to send rows of a partition to one reader. It must wait while this reader has no
// room, so that the rows of each reader have the same order in every run.
//
// One case needs another reader. With split `equal` a reader whose partitions are used up holds up all others. Once all
// readers wait for a batch and no other partition can go on, the reader with the most rows gives the next rows of its
// partition away. Every run reaches this state with the same rows, so the order is the same, too.
Answer AnswerForReader(const Context& context, const Pass& pass, int reader, std::vector<Rows> missing);

}  // namespace howdah::feed
