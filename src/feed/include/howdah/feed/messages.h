// Events, actions and answers as bytes, for messages between the ledger and executors. Sender and receiver belong to
// the same version of Howdah. Every function is pure.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/feed/action.h"
#include "howdah/feed/event.h"
#include "howdah/feed/ledger.h"

namespace howdah::feed {

// Decoding accepts any bytes. It fails if they are damaged, or if a number is outside of its range: ranks are less than
// kMostRanks, partitions and passes at most kMostPartitions, row numbers at most kMostRows, counts and positions at
// most 2^60, and no number except `step`, `generation` and `incarnation` is negative.
std::string EncodeEvent(const Event& event);
Result<Event> DecodeEvent(std::string_view bytes);

std::string EncodeAction(const Action& action);
Result<Action> DecodeAction(std::string_view bytes);

std::string EncodeAnswer(const Answer& answer);
Result<Answer> DecodeAnswer(std::string_view bytes);

}  // namespace howdah::feed
