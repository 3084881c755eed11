// Options of both clients: servers, login and limits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/principals/service.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::rpc {

// Authentication with Kerberos (SASL GSSAPI).
struct KerberosLogin {
  std::shared_ptr<kerberos::Login> login;  // not null
  principals::ServicePolicy server;        // the principal that the server must have
  // The weakest protection of messages that is accepted, and the key that says so, for messages.
  principals::Protection weakest = principals::Protection::kAuthentication;
  std::string weakest_from;
  std::string on_behalf_of;  // the user as whom the owner of the ticket acts (a proxy user); empty: the owner itself
};

// The caller's identity. If there is a token, the connection authenticates with it (SASL DIGEST-MD5), and the server
// takes the user name from the token. Otherwise it authenticates with Kerberos, if `kerberos` is set. Otherwise only
// the user name is sent (SIMPLE).
struct Login {
  // The user name to send. With a token or Kerberos, only servers that require no authentication receive the name. If
  // there is a token or Kerberos and no name, the client refuses such servers.
  std::string user;
  std::string real_user;  // the user that acts on behalf of `user` (a proxy user); may be empty
  std::optional<Token> token;
  std::optional<KerberosLogin> kerberos;
  std::string why_not_simple;  // the keys that forbid servers without authentication, for messages; may be empty
};

// Time limits of calls and retries. retry.h has the retry policy that applies them.
struct RetryLimits {
  Duration connect = std::chrono::seconds(20);  // one attempt to connect, including the handshake
  Duration call = std::chrono::seconds(60);     // one attempt of a call after connecting; pings do not extend it
  Duration ping = std::chrono::seconds(60);     // a ping is sent after this much silence during a call
  // The latest time after the beginning of the call at which a retry or fail-over may start.
  Duration give_up = std::chrono::seconds(30);
  Duration backoff_first = std::chrono::milliseconds(100), backoff_most = std::chrono::seconds(5);
};

struct ClientOptions {
  // The servers of one service. With high availability there are several. They are tried in turn, beginning with the
  // last one that answered.
  std::vector<HostPort> servers;
  std::string protocol;  // "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
  Login login;
  RetryLimits limits;
  // For error messages: "the ResourceManager", and the source of its address ("yarn.resourcemanager.address in
  // /etc/hadoop/conf/yarn-site.xml").
  std::string service_name, configured_by;
};

// Whether a call may be sent again although the server may have executed it already.
enum class Repeat { kSafe, kNever };

}  // namespace howdah::hadoop::rpc
