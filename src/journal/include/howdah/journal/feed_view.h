// The state of one feed of a running job, for `status` and `howdah feed`. The journal does not contain it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah::journal {

struct FeedView {
  std::string name;
  int64_t pass = 0;            // the newest pass, from 0
  int64_t rows = 0;            // rows of this pass that the ranks have read since the ranks started
  int64_t bytes = 0;           // bytes that executors have received from sources, in all passes
  int64_t unix_bytes = 0;      // those of them that have arrived over unix sockets, since the AM started
  int64_t tls_bytes = 0;       // those that have arrived over TLS
  double rows_per_second = 0;  // that the ranks have read, in the last minute
  double readers_waited = 0;   // share of the last minute in which the ranks waited for rows, from 0 to 1
  double sources_waited = 0;   // share of the last minute in which sources waited for room, from 0 to 1
  int64_t left_out = 0;        // rows at the ends of passes that no rank has read
  int64_t repeated = 0;        // rows that were read twice to fill up passes
  int sources = 0;             // sources that are connected
  std::string bottleneck;      // one sentence for people; empty if nothing slows the feed down
  friend bool operator==(const FeedView&, const FeedView&) = default;
};

// Formats one JSON array, as in the key `feeds` of `status --json`.
std::string FeedsToJson(const std::vector<FeedView>& feeds);

}  // namespace howdah::journal
