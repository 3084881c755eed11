// A client's side of the gRPC method Control.Follow: receives the journal and the logs of a running job from its AM.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

// Not thread-safe. An internal thread reads at most 1 MiB ahead. So memory is bounded, and the AM can send no faster
// than the caller reads. Usage: call Next until it returns nullopt, then check ended, then poll fd.
class AmFollow {
 public:
  // Returns immediately. address: as for ExecutorLink::Connect. connect_limit: the maximum time to connect to the AM.
  static std::unique_ptr<AmFollow> Start(const std::string& address, const Identity& identity,
                                         const wire::FollowRequest& request, Duration connect_limit);
  // Cancels the call and joins the thread.
  virtual ~AmFollow() = default;

  // A descriptor that is readable when Next has a reply or the call has ended. This object owns it.
  virtual int fd() const = 0;
  // Returns the next reply, or nullopt if there is no reply now.
  virtual std::optional<wire::FollowReply> Next() = 0;
  // Returns nullopt until Next has returned every reply and the call has ended. Ok means that FollowEnded was the last
  // reply. kUnavailable means that the AM could not be reached, or that the connection broke. The caller may then
  // follow again from its present offsets, or check whether the job has ended. kFailed means that the AM refused the
  // call; the message has the AM's reason.
  virtual std::optional<Status> ended() const = 0;
};

}  // namespace howdah::rpc
