// The interface of SASL mechanisms.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// One object per connection. Pure: random values are constructor arguments.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  // Returns the token for the message INITIATE. `challenge` is from the server's list of mechanisms; nullopt if the
  // list does not contain one.
  virtual Result<std::string> Start(const std::optional<std::string>& challenge) = 0;
  // Returns the token with which to answer a CHALLENGE.
  virtual Result<std::string> Step(std::string_view challenge) = 0;
  // Processes SUCCESS, which may have a last token. Returns an error if the server has not proved its own identity.
  virtual Status Finish(const std::optional<std::string>& token) = 0;

  // The largest number of bytes that may be passed to Wrap at once, or 0 if no messages are wrapped in either
  // direction. Valid after Finish.
  virtual size_t wrap_size() const = 0;
  // Must be called in the order in which messages are sent and received, because records are numbered.
  virtual Result<std::string> Wrap(std::string_view bytes) = 0;
  virtual Result<std::string> Unwrap(std::string_view token) = 0;
};

// Creates the mechanism for an entry of the server's list. Returns null if this maker does not support the entry.
// SIMPLE needs no mechanism.
using MechanismMaker = std::function<std::unique_ptr<Mechanism>(const ::hadoop::common::RpcSaslProto::SaslAuth&)>;

}  // namespace howdah::hadoop::rpc
