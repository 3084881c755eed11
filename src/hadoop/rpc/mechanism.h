// One way to authenticate a connection (SASL), as the negotiation sees it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

// Lives as long as its connection. Pure: what is random is given to its constructor.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  // The token that goes with INITIATE. `challenge` is the one advertised with the entry; nullopt: none was.
  virtual Result<std::string> Start(const std::optional<std::string>& challenge) = 0;
  // The token that answers a CHALLENGE.
  virtual Result<std::string> Step(std::string_view challenge) = 0;
  // The server says SUCCESS, perhaps with a last token; an error: it has not proved who it is.
  virtual Status Finish(const std::optional<std::string>& token) = 0;

  // After Finish. 0: nothing is wrapped; else everything both ways, and no more than this much at once of what we send.
  virtual size_t wrap_size() const = 0;
  // In the order of sending and of arrival: records are numbered.
  virtual Result<std::string> Wrap(std::string_view bytes) = 0;
  virtual Result<std::string> Unwrap(std::string_view token) = 0;
};

// The mechanism for an entry of the server's list; null: this one is not for it. SIMPLE is no mechanism.
using MechanismMaker = std::function<std::unique_ptr<Mechanism>(const ::hadoop::common::RpcSaslProto::SaslAuth&)>;

}  // namespace howdah::hadoop::rpc
