// The interface of SASL mechanisms (RFC 4422), for clients.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/principals/protection.h"

namespace howdah::hadoop::sasl {

// One object per connection. Pure: random values are constructor arguments.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  // Returns the first token for the server. `challenge` is the server's first challenge if the server has sent one
  // before the client begins; otherwise nullopt.
  virtual Result<std::string> Start(const std::optional<std::string>& challenge) = 0;
  // Returns the token with which to answer a challenge.
  virtual Result<std::string> Step(std::string_view challenge) = 0;
  // Processes the server's success, which may have a last token. Returns an error if the server has not proved its own
  // identity.
  virtual Status Finish(const std::optional<std::string>& token) = 0;

  // The chosen protection. Valid after Finish.
  virtual principals::Protection protection() const = 0;
  // The largest number of bytes that may be passed to Wrap at once, or 0 if no messages are wrapped in either
  // direction. Valid after Finish.
  virtual size_t wrap_size() const = 0;
  // Must be called in the order in which messages are sent and received, because records are numbered.
  virtual Result<std::string> Wrap(std::string_view bytes) = 0;
  virtual Result<std::string> Unwrap(std::string_view token) = 0;
};

}  // namespace howdah::hadoop::sasl
