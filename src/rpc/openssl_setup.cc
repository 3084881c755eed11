#include "howdah/rpc/openssl_setup.h"

#include <openssl/crypto.h>

namespace howdah::rpc {

void IgnoreOpensslConfiguration() { OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr); }

}  // namespace howdah::rpc
