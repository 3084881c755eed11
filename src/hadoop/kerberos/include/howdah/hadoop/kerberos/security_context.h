// The client's side of one GSSAPI context (RFC 2743) with the Kerberos mechanism (RFC 4121).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::kerberos {

// Use on one thread at a time. No function blocks or sends anything. Any tokens are safe.
class SecurityContext {
 public:
  virtual ~SecurityContext() = default;

  // The token with which the client begins. It contains the ticket for the service.
  virtual const std::string& first_token() const = 0;
  // Processes the server's answer to the first token, in which the server proves its identity. Returns a further token,
  // or an empty text if none is needed.
  virtual Result<std::string> Step(std::string_view token) = 0;
  // Whether client and server have authenticated each other.
  virtual bool complete() const = 0;

  // The functions below need a complete context. Messages are numbered: wrap and unwrap them in order.
  virtual Result<std::string> Wrap(std::string_view bytes, bool confidential) = 0;
  struct Unwrapped {
    std::string bytes;
    bool confidential = false;  // whether the message was encrypted
  };
  virtual Result<Unwrapped> Unwrap(std::string_view token) = 0;
  // The largest number of bytes whose wrapped form has at most `max_token` bytes.
  virtual Result<size_t> WrapLimit(size_t max_token, bool confidential) const = 0;
};

}  // namespace howdah::hadoop::kerberos
