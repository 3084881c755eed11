// A client's end of Control.Follow: the journal and the output of a running job, through its AM.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

// One thread uses it; a thread of its own reads ahead, 1 MiB at most, so that memory is bounded and the AM is not
// read faster than Next is called. Its use: Next until there is nothing, then look at
// ended, then poll fd.
class AmFollow {
 public:
  // Returns at once. address as ExecutorLink::Connect takes it. connect_limit: how long until the AM has to be reached.
  static std::unique_ptr<AmFollow> Start(const std::string& address, const Identity& identity,
                                         const wire::FollowRequest& request, Duration connect_limit);
  // Cancels what still runs and waits for its thread.
  virtual ~AmFollow() = default;

  // Readable when Next has something, or when it has ended. Owned by this.
  virtual int fd() const = 0;
  // The next reply; nullopt: none right now, or none any more.
  virtual std::optional<wire::FollowReply> Next() = 0;
  // Set once every reply has been given by Next and the call is over. Ok: FollowEnded was the last of them.
  // kUnavailable: the AM could not be reached, or the connection broke; the client may try again with the offsets that
  // it has, or look whether the job has ended. kFailed: the AM refused, and why.
  virtual std::optional<Status> ended() const = 0;
};

}  // namespace howdah::rpc
