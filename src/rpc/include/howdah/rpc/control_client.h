// Unary calls of clients to the AM of a running job.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

// Blocks until the reply, at most for `limit`. Thread-safe. Returns kUnavailable if the AM could not be reached,
// kTimeout if the AM did not answer in time, and kFailed if the AM reported an error (ControlReply.error).
Result<wire::ControlReply> CallAm(const std::string& address, const Identity& identity,
                                  const wire::ControlRequest& request, Duration limit);

}  // namespace howdah::rpc
