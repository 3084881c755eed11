// A client's side of the gRPC method Control.Metrics: receives the metrics of a running job from its AM.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::rpc {

// Not thread-safe. An internal thread reads at most 1 MiB ahead. Usage: as AmFollow.
class AmMetrics {
 public:
  // Returns immediately. connect_limit: the maximum time to connect to the AM.
  static std::unique_ptr<AmMetrics> Start(const std::string& address, const Identity& identity,
                                          const wire::MetricsRequest& request, Duration connect_limit);
  // Cancels the call and joins the thread.
  virtual ~AmMetrics() = default;

  // A descriptor that is readable when Next has a reply or the call has ended. This object owns it.
  virtual int fd() const = 0;
  // Returns the next reply, or nullopt if there is no reply now.
  virtual std::optional<wire::MetricsReply> Next() = 0;
  // Returns nullopt until Next has returned every reply and the call has ended. kUnavailable: the AM could not be
  // reached, has exited, or the connection broke. kFailed: the AM refused the call, for example because its version has
  // no metrics. The message has the reason.
  virtual std::optional<Status> ended() const = 0;
};

}  // namespace howdah::rpc
