// Kerberos principals as Hadoop writes them: "alice@EXAMPLE.COM", "nn/host.example.com@EXAMPLE.COM".
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::principals {

// Hadoop knows one or two components (org.apache.hadoop.security.authentication.util.KerberosName).
struct Principal {
  std::string service;  // the first component: the user, or the service
  std::string host;     // the second component; empty if there is none
  std::string realm;    // empty if the text has none
  std::string Text() const;
  friend bool operator==(const Principal&, const Principal&) = default;
};

// Returns kUsage if the text is not a principal; the message contains the text.
Result<Principal> ParsePrincipal(std::string_view text);

}  // namespace howdah::hadoop::principals
