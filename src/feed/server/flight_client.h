// Gets blocks from the Flight servers of other executors of the job.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "arrow_header.h"
#include "flight_server.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/post.h"

namespace howdah::feed::server {

// Used on the owner's loop. Each open Get has a thread and a connection of its own; without an open Get there are none.
class FlightClient {
 public:
  // schema: the header of the schema message.
  using OnBlock = std::function<void(const std::string& schema, ArrowBlock)>;
  using OnDone = std::function<void(Status)>;

  // silence: an open Get fails when it has received nothing for this time.
  FlightClient(const rpc::Identity& identity, rpc::Post post, Duration silence = std::chrono::seconds(60));
  // Cancels open Gets; their on_done is not called.
  ~FlightClient();
  FlightClient(const FlightClient&) = delete;
  FlightClient& operator=(const FlightClient&) = delete;

  // Gets the blocks that contain the rows. Uses the unix socket of the address if it exists on this machine and belongs
  // to this user, else TLS. The server must have the certificate of an executor of this job. on_block is called on the
  // loop for each block, in the order in which they were sent. The next block is received when it has returned, so a
  // Get holds the bytes of one block, besides those in gRPC's window. It must not destroy this client. on_done is
  // called once, on the loop, and may destroy this client. Its error names the address.
  void Get(const FlightAddress& address, const std::string& token, const GetTarget& get, OnBlock on_block,
           OnDone on_done);

 private:
  class Transfer;

  const std::string ca_certificate_;
  const rpc::Post post_;
  const Duration silence_;
  uint64_t last_ = 0;
  std::map<uint64_t, std::unique_ptr<Transfer>> transfers_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this client
};

}  // namespace howdah::feed::server
