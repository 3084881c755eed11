// Decides which processes the personal portal admits. Pure.
#pragma once

#include <sys/types.h>

#include <optional>

#include "howdah/web/message.h"

namespace howdah::portal {

// Admits processes of `owner`, the user of the portal, and of root. Returns the refusal otherwise: also if the kernel
// does not identify the user of the peer.
std::optional<web::Problem> RefuseStranger(const web::Peer& peer, uid_t owner);

}  // namespace howdah::portal
