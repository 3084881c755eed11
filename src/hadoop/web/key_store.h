// Reads the trust stores of Java. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::web {

// The certificates (X.509, DER) that a program in Java would trust: those of entries for trusted certificates, and the
// first of each entry with a private key (sun.security.validator.TrustStoreUtil). The store is JKS
// (sun.security.provider.JavaKeyStore) or PKCS#12 (RFC 7292). Without a password, the integrity of a JKS store is not
// checked, as in Java. Any bytes are safe.
Result<std::vector<std::string>> AuthoritiesIn(std::string_view store, const std::optional<std::string>& password);

}  // namespace howdah::hadoop::web
