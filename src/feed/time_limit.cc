#include "time_limit.h"

#include <algorithm>
#include <string>

#include "passes.h"

namespace howdah::feed {
namespace {

// Whether a reader waits for rows that a source could send now.
bool WaitsForSource(const Context& context) {
  const State& state = context.state;
  const auto& passes = state.round.passes;
  if (context.over() || state.ended || passes.empty()) return false;
  const Pass& pass = passes.rbegin()->second;
  if (pass.closed || !pass.requested || IsComplete(context, pass)) return false;
  bool waits = false, has_room = false;
  for (size_t rank = 0; rank < state.readers.size(); ++rank) {
    const Reader& reader = state.readers[rank];
    waits = waits || (pass.readers[rank].waiting && !reader.ended);
    has_room = has_room || (reader.present() && reader.granted > reader.received);
  }
  return waits && has_room;
}

std::string Message(const Context& context) {
  const State& state = context.state;
  const std::string time = FormatDuration(context.options.lost_after);
  if (state.connected) {
    return "the source of the feed sends no rows: " + state.source + " is connected, and the ranks have waited " +
           time + " for rows; if it needs more time, set a larger `timeouts.feed`";
  }
  if (!state.source.empty()) return "the source of the feed is gone: " + state.source + "; no rows for " + time;
  const std::string name = context.options.name.empty() ? "NAME" : context.options.name;
  const std::string who = state.last_rows == Instant() ? "nobody has supplied rows to the feed " + name
                                                       : "no source of the feed " + name + " is connected";
  return who + ", and the ranks have waited " + time + " for rows; give them to howdah.run(..., data={\"" + name +
         "\": howdah.Feed(rows)}), or send them with howdah.Job.attach(ID).feed(\"" + name +
         "\").send(rows) or another Arrow Flight client (`howdah feed ID " + name + " --address`)";
}

}  // namespace

void NoteWait(Context& context) {
  auto& since = context.state.waited_since;
  if (!WaitsForSource(context)) {
    since.reset();
  } else if (!since) {
    since = context.state.now;
  }
}

std::optional<Instant> TimeLimit(const Context& context) {
  const State& state = context.state;
  if (!state.waited_since) return std::nullopt;
  const bool may_be_idle = context.options.stream && state.connected && !state.partitions;
  if (may_be_idle) return std::nullopt;
  return std::max({*state.waited_since, state.source_since, state.last_rows}) + context.options.lost_after;
}

bool FailIfLost(Context& context) {
  const auto limit = TimeLimit(context);
  if (!limit || context.state.now < *limit) return false;
  Fail(context, FailFeed::Why::kLost, Message(context));
  return true;
}

}  // namespace howdah::feed
