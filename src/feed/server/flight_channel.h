// Connections to the Flight servers of other executors of the job.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "flight_server.h"

namespace howdah::feed::server {

// The address in gRPC's notation: the unix socket if it exists on this machine and belongs to this user, else TLS.
std::string FlightTarget(const FlightAddress& address);
// A connection of its own. The server must have the certificate of an executor of this job.
std::shared_ptr<grpc::Channel> MakeFlightChannel(const std::string& target, const std::string& ca_certificate);

}  // namespace howdah::feed::server
