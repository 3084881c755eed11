#include "admission.h"

#include <string>
#include <utility>

namespace howdah::portal {

std::optional<web::Problem> RefuseStranger(const web::Peer& peer, uid_t owner) {
  if (peer.user && (*peer.user == owner || *peer.user == 0)) return std::nullopt;
  const std::string only = "this portal admits only processes of the user who started it, and of root";
  if (peer.user) {
    return web::Problem{.status = 401,
                        .detail = only + "; the request came from the user with id " + std::to_string(*peer.user),
                        .advice =
                            "start a portal of your own with `howdah portal`, or send a token of its owner "
                            "(`howdah portal token`) as `Authorization: Bearer TOKEN`"};
  }
  return web::Problem{.status = 401,
                      .detail = only + "; the kernel does not say which user has opened this connection",
                      .advice =
                          "connect from the machine on which the portal runs, without a proxy, or send a token "
                          "(`howdah portal token`) as `Authorization: Bearer TOKEN`"};
}

std::variant<Caller, web::Problem> Identify(const web::Request& request, uid_t owner,
                                            const Result<const std::vector<Token>*>& tokens, Instant now) {
  if (!request.headers.Has("Authorization")) {
    auto refusal = RefuseStranger(request.peer, owner);
    return refusal ? std::variant<Caller, web::Problem>(std::move(*refusal)) : Caller{};
  }
  const auto refuse = [](std::string detail, std::string advice) {
    return web::Problem{401, std::move(detail), std::move(advice), {{"WWW-Authenticate", "Bearer"}}};
  };
  const auto text = BearerOf(request.headers.Get("Authorization"));
  if (!text || request.headers.Count("Authorization") > 1)
    return refuse("the field Authorization is not a token of this portal", "send `Authorization: Bearer TOKEN`");
  if (!tokens.ok()) return refuse("the tokens of this portal cannot be read: " + tokens.error().message, "");
  auto checked = CheckToken(**tokens, *text, now);
  if (auto* why = std::get_if<std::string>(&checked))
    return refuse(std::move(*why), "make a new one with `howdah portal token`");
  const Token& token = std::get<Token>(checked);
  return Caller{token.name, token.read_only, token.hash};
}

}  // namespace howdah::portal
