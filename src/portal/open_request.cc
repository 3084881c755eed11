#include "open_request.h"

namespace howdah::portal {

std::variant<AppOpener, web::Problem> OpenerOf(Services& services, const web::Request& request) {
  const auto caller = services.CallerOf(request);
  const auto* const known = std::get_if<Caller>(&caller);
  if (known != nullptr && request.peer.user) return AppOpener{*request.peer.user, known->token, known->token_hash};
  return web::Problem{403, "the kernel does not say which user has opened this connection",
                      "use `howdah open`, or connect without a proxy"};
}

// Safari does not resolve names below "localhost".
AppAddress AddressFor(const web::Request& request, const std::optional<bool>& by_name) {
  if (by_name) return *by_name ? AppAddress::kName : AppAddress::kPort;
  const std::string_view agent = request.headers.Get("User-Agent");
  const auto has = [&](std::string_view word) { return agent.find(word) != std::string_view::npos; };
  return has("Safari/") && !has("Chrome/") && !has("Chromium/") ? AppAddress::kPort : AppAddress::kName;
}

}  // namespace howdah::portal
