// SecurityContext with MIT's GSSAPI library.
#pragma once

#include <krb5.h>

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/security_context.h"

namespace howdah::hadoop::kerberos {

// Begins a context for a service ("nn/host@REALM") with the tickets in a cache. The cache must contain the ticket for
// the service; otherwise this returns an error.
Result<std::unique_ptr<SecurityContext>> BeginContext(krb5_ccache tickets, const std::string& service);

}  // namespace howdah::hadoop::kerberos
