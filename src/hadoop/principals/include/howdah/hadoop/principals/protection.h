// The protection of messages between client and server: hadoop.rpc.protection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::principals {

// In ascending strength. The values are those of SASL's GSSAPI mechanism (RFC 4752, 3.1).
enum class Protection { kAuthentication = 1, kIntegrity = 2, kPrivacy = 4 };

// "authentication", "integrity", "privacy".
std::string ToText(Protection protection);

// Returns the mask of the values of a list such as {"privacy", "integrity"}. Returns kUsage for an empty list and for
// another word; the message contains the word.
Result<int> MaskOf(const std::vector<std::string>& words);

// Returns the weakest protection of a list. Errors: as MaskOf.
Result<Protection> WeakestOf(const std::vector<std::string>& words);

// Lists the protections in a mask of their values: "authentication, privacy"; "nothing" if there are none.
std::string OffersText(int mask);

}  // namespace howdah::hadoop::principals
