// A SASL mechanism.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// One object per connection. Pure: random values are passed to the constructor.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  // Returns the token for INITIATE. `challenge` is the one in the server's list, or nullopt if the list has none.
  virtual Result<std::string> Start(const std::optional<std::string>& challenge) = 0;
  // Returns the token that answers a CHALLENGE.
  virtual Result<std::string> Step(std::string_view challenge) = 0;
  // Handles SUCCESS, which may have a last token. Returns an error if the server has not authenticated itself.
  virtual Status Finish(const std::optional<std::string>& token) = 0;

  // Valid after Finish. The largest number of bytes to pass to one Wrap; 0 if messages are not wrapped in either
  // direction.
  virtual size_t wrap_size() const = 0;
  // Call these in the order of sending and receiving, because records are numbered.
  virtual Result<std::string> Wrap(std::string_view bytes) = 0;
  virtual Result<std::string> Unwrap(std::string_view token) = 0;
};

// Creates the mechanism for an entry of the server's list. Returns null if it is not supported. SIMPLE has no
// mechanism.
using MechanismMaker = std::function<std::unique_ptr<Mechanism>(const ::hadoop::common::RpcSaslProto::SaslAuth&)>;

}  // namespace howdah::hadoop::rpc
