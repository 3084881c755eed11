#pragma once

namespace howdah::rpc {

// Makes OpenSSL ignore openssl.cnf and $OPENSSL_CONF. Programs call this before anything else of OpenSSL: the file may
// name providers and engines, which are modules of the machine that a static program cannot load safely. Thread-safe.
void IgnoreOpensslConfiguration();

}  // namespace howdah::rpc
