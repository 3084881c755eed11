// Kerberos tickets of one user: from a keytab, or from the user's own cache, which is read and never written.
//
// MIT krb5 computes the messages; this library sends them. So the machine's name service modules and plug-ins are not
// used, and every wait has a limit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/kerberos/security_context.h"
#include "howdah/hadoop/principals/principal.h"

namespace howdah::hadoop::kerberos {

// The sources of tickets, in this order: `keytab`; the cache; `client_keytab` if the cache has no valid ticket.
struct LoginOptions {
  std::string principal;  // "alice@EXAMPLE.COM"; empty: the principal of the cache, or the first one of the keytab
  std::string keytab;     // a path; empty: none
  std::string cache;      // $KRB5CCNAME: "FILE:/tmp/x", "DIR:…", "KCM:…", "KEYRING:…"; empty: default_ccache_name
  std::string client_keytab;  // $KRB5_CLIENT_KTNAME; empty: none
  std::string configuration;  // $KRB5_CONFIG: paths separated by colons; empty: /etc/krb5.conf
  Duration limit_per_kdc = std::chrono::seconds(3);
  Duration limit = std::chrono::seconds(10);  // of one function of Login, over all KDCs
};

// Which ticket Login uses.
struct Ticket {
  std::string principal;  // "alice@EXAMPLE.COM"
  std::string source;     // "the cache FILE:/tmp/krb5cc_1000", "the keytab /home/alice/alice.keytab"
  Instant expires;
  std::optional<Instant> renewable_until;  // only for a ticket of a cache
};

// A KDC that has answered, for `howdah doctor`.
struct KdcAnswer {
  std::string realm, address;  // "kdc1.example.com:88 (10.0.0.5), TCP"
  Duration took{0};
  Duration ahead{0};  // how far the clock of this machine is ahead of the KDC's; known if the KDC has sent an error
};

// Thread-safe; one thread at a time is served. Reads nothing before the first call. `cancel_fd` (-1: none): once it is
// readable, a function that waits for a KDC ends with kTimeout. Errors are kUnavailable, or kUsage for a keytab that
// cannot be used and for an invalid krb5.conf; the message says what to do.
class Login {
 public:
  explicit Login(LoginOptions options);
  ~Login();
  Login(const Login&) = delete;
  Login& operator=(const Login&) = delete;

  // Returns a ticket that is valid for at least a minute: the present one, a newer one of the user's cache, or a new
  // one from the keytab.
  Result<Ticket> Authenticate(int cancel_fd = -1);
  // Gets a ticket for the service ("nn/host.example.com@EXAMPLE.COM") and begins a context with it.
  Result<std::unique_ptr<SecurityContext>> OpenContext(const principals::Principal& service, int cancel_fd = -1);

  // The realm of a host by [domain_realm], otherwise the default realm. kUnavailable if neither is set.
  Result<std::string> RealmOf(const std::string& host);
  Result<std::string> DefaultRealm();
  // The KDCs that have answered, in order.
  std::vector<KdcAnswer> answers() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::kerberos
