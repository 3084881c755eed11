// The keys that a KDC has for a principal, as far as its first answer to a login describes them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace howdah::hadoop::kerberos {

struct KdcKeys {
  std::vector<int32_t> types;       // encryption types (RFC 3961)
  std::optional<uint32_t> version;  // MIT's KDC never reports it, others do in an AS-REP
};

// Parses an AS-REP, or a KRB-ERROR that requires pre-authentication (RFC 4120, 5.4.2, 5.9.1 and 5.2.7.5). Returns no
// types for other answers. Any bytes are safe.
KdcKeys KeysIn(std::string_view answer);

}  // namespace howdah::hadoop::kerberos
