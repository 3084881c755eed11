#include "admission.h"

#include <string>

namespace howdah::portal {

std::optional<web::Problem> RefuseStranger(const web::Peer& peer, uid_t owner) {
  if (peer.user && (*peer.user == owner || *peer.user == 0)) return std::nullopt;
  const std::string only = "this portal admits only processes of the user who started it, and of root";
  if (peer.user) {
    return web::Problem{.status = 401,
                        .detail = only + "; the request came from the user with id " + std::to_string(*peer.user),
                        .advice = "start a portal of your own with `howdah portal`"};
  }
  return web::Problem{.status = 401,
                      .detail = only + "; the kernel does not say which user has opened this connection",
                      .advice = "connect from the machine on which the portal runs, without a proxy"};
}

}  // namespace howdah::portal
