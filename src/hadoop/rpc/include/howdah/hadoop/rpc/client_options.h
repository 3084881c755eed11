// Who calls whom, and for how long: what both drivers take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/os/net/address.h"

namespace howdah::hadoop::rpc {

// Who the caller is. With a token the connection is authenticated by it (SASL DIGEST-MD5), and the server takes the
// user from it; without, the server is told the user's name (SIMPLE).
struct Login {
  std::string user;       // ignored with a token
  std::string real_user;  // not empty: `real_user` acts for `user` (a proxy user)
  std::optional<Token> token;
};

// How many failures a call may meet before its caller is told. A pure policy (retry.h) decides by these.
struct RetryLimits {
  Duration connect = std::chrono::seconds(20);  // one attempt to connect, handshake included
  Duration call = std::chrono::seconds(60);     // one attempt of a call, once connected; pings do not extend it
  Duration ping = std::chrono::seconds(60);     // silence after which a ping is sent while a call waits
  Duration give_up = std::chrono::seconds(30);  // from the call's beginning: no further attempt, server or fail-over
  Duration backoff_first = std::chrono::milliseconds(100), backoff_most = std::chrono::seconds(5);
};

struct ClientOptions {
  // Of one service: several with high availability, tried in turn; the one that answered last is tried first.
  std::vector<os::net::HostPort> servers;
  std::string protocol;  // "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
  Login login;
  RetryLimits limits;
  // For error messages: "the ResourceManager", and where its address comes from ("yarn.resourcemanager.address in
  // /etc/hadoop/conf/yarn-site.xml").
  std::string service_name, configured_by;
};

// Whether a call may be sent again when nobody knows if the server has carried it out.
enum class Repeat { kSafe, kNever };

}  // namespace howdah::hadoop::rpc
