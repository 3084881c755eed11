// The first frame of a connection to a server in a job.
#pragma once

#include "howdah/rpc/streams/port_forward.h"
#include "howdah/wire/tunnel.pb.h"

namespace howdah::rpc::streams {

inline wire::Frame OpeningFrame(const Target& target) {
  wire::Frame frame;
  wire::Open& open = *frame.mutable_open();
  if (target.role.empty()) {
    open.mutable_tensorboard();
    return frame;
  }
  open.set_role(target.role);
  open.set_index(target.index);
  open.set_port(target.port);
  return frame;
}

}  // namespace howdah::rpc::streams
