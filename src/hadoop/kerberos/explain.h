// Turns the failures of libkrb5 and of KDCs into errors that say what to do. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::hadoop::kerberos {

// A KRB-ERROR (RFC 4120, 5.9.1).
struct Refusal {
  int code = 0;                // error-code
  std::string realm, address;  // of the KDC
  std::string client, server;  // as in the message; may be empty
  std::string text;            // e-text
  Duration ahead{0};           // how far this machine's clock was ahead of the KDC's
};

// One key of a keytab.
struct KeytabKey {
  std::string principal, type;  // "aes256-cts-hmac-sha1-96"
  uint32_t version = 0;
};

struct Facts {
  std::string doing;                     // "logging in as alice@EXAMPLE.COM with the keytab /home/alice/alice.keytab"
  std::string principal;                 // the client
  std::string service;                   // the service whose ticket was requested; empty while logging in
  std::string configuration;             // the configuration files of MIT krb5
  std::string keytab;                    // empty: no keytab was used
  std::vector<KeytabKey> keys;           // the keys of the keytab
  std::vector<std::string> kdc_types;    // the types of the KDC's keys of the client; empty: not known
  std::optional<uint32_t> kdc_version;   // the version of these keys
  std::vector<std::string> enctypes;     // the encryption types that this machine permits
  std::optional<std::string> permitted;  // the value of permitted_enctypes, if set
  Duration skew_allowed = std::chrono::seconds(300);  // clockskew
  std::string library_text;                           // libkrb5's own message
  std::optional<Refusal> refusal;                     // the last KRB-ERROR
};

// `code`: of libkrb5. Returns kUnavailable, or kUsage if the keytab cannot be used.
Error Explain(int32_t code, const Facts& facts);

// The errors of a cache. `name` is the name of the cache; `principal` the principal to log in as, or empty.
Error NoCache(int32_t code, const std::string& name, const std::string& library_text, const std::string& principal);
// The ticket has expired or is about to expire.
Error ExpiredTicket(const std::string& name, const std::string& principal, Instant expires,
                    std::optional<Instant> renewable_until, Instant now);
// Lists keys, grouped by principal, for messages: "alice@R (version 2: aes256-cts-hmac-sha1-96, …); …".
std::string Listed(const std::vector<KeytabKey>& keys);

}  // namespace howdah::hadoop::kerberos
