// Requests of a job's owner about the feeds of the running job.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc {

// Where sources send the rows of a feed.
struct FeedAddress {
  std::string feed;                    // name
  std::vector<std::string> locations;  // URIs of Arrow Flight servers; each of them accepts rows
  std::string token;                   // the secret that the servers require
};

// Returns the address of a feed. An empty name is the job's only feed. Waits until a task that reads the feed has
// started, at most for `limit`; the AM itself waits at most 60 s. Thread-safe. Errors are those of CallAm.
Result<FeedAddress> AskFeedAddress(const AmContact& am, const std::string& feed, Duration limit);

// Closes a feed: no further rows will be sent to it. Returns when the AM has recorded this, at most after `limit`.
// Thread-safe. Errors are those of CallAm.
Status CloseFeed(const AmContact& am, const std::string& feed, Duration limit);

}  // namespace howdah::rpc
