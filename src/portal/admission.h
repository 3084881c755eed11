// Decides which processes and tokens the personal portal admits. Pure.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/web/message.h"
#include "tokens.h"

namespace howdah::portal {

// Admits processes of `owner`, the user of the portal, and of root. Returns the refusal otherwise: also if the kernel
// does not identify the user of the peer.
std::optional<web::Problem> RefuseStranger(const web::Peer& peer, uid_t owner);

// On whose behalf a request acts.
struct Caller {
  std::string token;  // its name; "" for the user of the portal
  bool read_only = false;
  std::string token_hash = {};  // differs between two tokens of one name
};
// The caller, or the refusal. A request with the field Authorization is admitted only with a valid token, whoever sends
// it, and one without only from `owner` and root. tokens: those of the portal's file.
std::variant<Caller, web::Problem> Identify(const web::Request& request, uid_t owner,
                                            const Result<const std::vector<Token>*>& tokens, Instant now);

}  // namespace howdah::portal
