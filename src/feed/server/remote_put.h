// Puts blocks into the Flight server of another executor of the job.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "arrow_header.h"
#include "flight_server.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/post.h"

namespace howdah::feed::server {

// One call of DoPut. It has a thread and a connection of its own.
//
// Used on the owner's loop.
class RemotePut {
 public:
  struct Settings {
    FlightAddress address;
    std::string ca_certificate;  // of the job; the server must have the certificate of an executor
    std::string token;
    PutTarget target;
    std::string schema;  // the header of the schema message
    Duration silence;    // a block fails when its answer takes longer
  };

  RemotePut(Settings settings, rpc::Post post);
  // Cancels the call. The answer that is outstanding does not come.
  ~RemotePut();
  RemotePut(const RemotePut&) = delete;
  RemotePut& operator=(const RemotePut&) = delete;

  const PutTarget& target() const;
  const std::string& schema() const;
  // Sends a block, one at a time. on_answer is called once, on the loop, and may destroy this object. After an error
  // the call has ended.
  void Send(const ArrowBlock& block, std::function<void(Result<PutAnswer>)> on_answer);

 private:
  class Call;

  std::unique_ptr<Call> call_;
};

}  // namespace howdah::feed::server
