// Samples the stacks of all processes of the task, because a client requests it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "howdah/rpc/streams/remote_endpoint.h"

namespace howdah::executor {

// The running attempt, as far as a sample needs it.
struct StackTarget {
  int attempt = 0;
  std::vector<pid_t> ranks;          // pids by local rank
  std::vector<std::string> stderrs;  // paths, parallel to ranks
  std::string path;                  // the PATH in which the tools are looked up
  int stop_signal = 0;               // the signal with which the job stops its processes
};

// Sends one frame with the sample and is then over. The processes are paused for the time that a tool reads them,
// usually milliseconds. A Python program is read by py-spy, if that is in the PATH of the task, or by faulthandler, if
// the request names a signal: a signal that the program uses for something else would have that effect. If the request
// wants native frames, all programs are read by eu-stack or gdb, too. By default they are not, because reading the
// symbols of a large program needs memory of the task's container. The whole sample has a time limit.
std::unique_ptr<rpc::streams::RemoteEndpoint> SampleTaskStacks(boost::asio::io_context& loop, StackTarget target,
                                                               const wire::Stacks& wanted,
                                                               rpc::streams::RemoteEndpoint::Handlers handlers);

}  // namespace howdah::executor
