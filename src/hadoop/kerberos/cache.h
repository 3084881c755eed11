// The user's credential cache, which is only read.
#pragma once

#include <krb5.h>

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/login.h"
#include "session.h"

namespace howdah::hadoop::kerberos {

// Copies the tickets of the cache `name` (empty: the default cache) into `copy`. `principal`: if not empty, the cache
// must be of this principal; a collection (DIR, KCM, KEYRING) is searched for it. `now`: a ticket that is valid for
// less than `margin` counts as expired.
Result<Ticket> CopyCache(const Session& session, const std::string& name, const std::string& principal, Instant now,
                         Duration margin, krb5_ccache copy);

}  // namespace howdah::hadoop::kerberos
