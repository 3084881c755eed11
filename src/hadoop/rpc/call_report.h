// Builds the error that a failed call returns. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "retry.h"

namespace howdah::hadoop::rpc {

// The last attempt of a call.
struct LastAttempt {
  std::string method;
  Repeat repeat = Repeat::kSafe;
  size_t server = 0;    // an index into ClientOptions::servers
  Duration elapsed{0};  // since the call began
};

// Collects the last failure of each server during one call.
class CallReport {
 public:
  void Add(size_t server, const Failure& failure) { last_[server] = failure.error.message; }
  // The error to return to the caller. Add must have been called for the last failure. If the server's exception is
  // about the call itself, it is returned unchanged.
  Error Final(const ClientOptions& options, const LastAttempt& last, const Failure& failure) const;

 private:
  std::string Servers(const ClientOptions& options) const;

  std::map<size_t, std::string> last_;
};

// The error "the ResourceManager at rm1:8032 refused the connection: ...", with advice for known reasons.
Error Refused(const ClientOptions& options, size_t server, const Error& error);

}  // namespace howdah::hadoop::rpc
