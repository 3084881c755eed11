// A client's end of Control.Follow: receives the journal and the logs of a running job from its AM.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

// Not thread-safe. A thread of its own reads at most 1 MiB ahead, so that memory is bounded and the AM sends no faster
// than Next is called. Usage: call Next until it returns nullopt, then check ended, then poll fd.
class AmFollow {
 public:
  // Returns immediately. address: as for ExecutorLink::Connect. connect_limit: the time to reach the AM.
  static std::unique_ptr<AmFollow> Start(const std::string& address, const Identity& identity,
                                         const wire::FollowRequest& request, Duration connect_limit);
  // Cancels the call and joins the thread.
  virtual ~AmFollow() = default;

  // Readable when Next has a reply, or when the call has ended. Owned by this object.
  virtual int fd() const = 0;
  // The next reply; nullopt: none now, or none any more.
  virtual std::optional<wire::FollowReply> Next() = 0;
  // Set once Next has returned every reply and the call has ended. Ok: FollowEnded was the last reply. kUnavailable:
  // the AM could not be reached, or the connection broke; the client may retry with its present offsets, or check
  // whether the job has ended. kFailed: the AM refused; the message has its reason.
  virtual std::optional<Status> ended() const = 0;
};

}  // namespace howdah::rpc
