// The flags that say as whom to use a cluster with Kerberos.
#pragma once

#include <string>

namespace howdah::client {

// An empty text: the flag is not given. Other clusters, and the local backend, ignore these flags.
struct LoginFlags {
  std::string principal, keytab;  // --principal, --keytab
  std::string as;                 // --as: the user on whose behalf the commands act
};

}  // namespace howdah::client
