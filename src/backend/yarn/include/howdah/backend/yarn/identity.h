// As whom a client uses a cluster with Kerberos.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::backend::yarn {

// The user's choice. An empty text: not given. Clusters without Kerberos ignore it.
struct Identity {
  std::string principal, keytab;  // --principal, --keytab
  std::string as;                 // --as
};

// A login of the client.
struct ClientLogin {
  std::shared_ptr<hadoop::kerberos::Login> login;
  hadoop::kerberos::Ticket ticket;
  std::string short_name;    // the account that auth_to_local gives the principal
  std::string on_behalf_of;  // the user as whom the client acts; empty: short_name
  const std::string& user() const { return on_behalf_of.empty() ? short_name : on_behalf_of; }
  // For the options of connections, which add the principal of the server.
  hadoop::rpc::KerberosLogin ForConnections() const {
    return {.login = login, .server = {}, .weakest_from = {}, .on_behalf_of = on_behalf_of};
  }
};

// Gets a ticket from, in this order: the keytab of `identity` or $HOWDAH_KEYTAB; the cache of $KRB5CCNAME or krb5.conf;
// $KRB5_CLIENT_KTNAME. Acts as `identity.as` or $HADOOP_PROXY_USER. Blocks up to 10 s if a keytab is used.
Result<ClientLogin> LogIn(const hadoop::conf::Configuration& configuration, const Identity& identity);

// The account of the user to whom the tokens belong, by auth_to_local. Empty: no token names its owner.
std::string OwnerOf(const hadoop::conf::Configuration& configuration, const hadoop::rpc::Credentials& credentials);

}  // namespace howdah::backend::yarn
