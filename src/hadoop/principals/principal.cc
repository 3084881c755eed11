#include "howdah/hadoop/principals/principal.h"

#include <algorithm>

namespace howdah::hadoop::principals {

std::string Principal::Text() const {
  return service + (host.empty() ? "" : "/" + host) + (realm.empty() ? "" : "@" + realm);
}

Result<Principal> ParsePrincipal(std::string_view text) {
  const Error wrong{ErrorCode::kUsage, "invalid principal '" + std::string(text) +
                                           "'; write it as alice@EXAMPLE.COM or service/host@EXAMPLE.COM"};
  Principal principal;
  std::string_view left = text;
  if (const size_t at = left.rfind('@'); at != std::string_view::npos) {
    principal.realm = left.substr(at + 1);
    left = left.substr(0, at);
    if (principal.realm.empty()) return wrong;
  }
  if (const size_t slash = left.find('/'); slash != std::string_view::npos) {
    principal.host = left.substr(slash + 1);
    left = left.substr(0, slash);
    if (principal.host.empty()) return wrong;
  }
  principal.service = left;
  if (left.empty()) return wrong;
  for (const std::string* part : {&principal.service, &principal.host, &principal.realm}) {
    const bool plain = std::ranges::all_of(
        *part, [](unsigned char c) { return c > ' ' && c != 0x7f && c != '/' && c != '@' && c != '\\'; });
    if (!plain) return wrong;
  }
  return principal;
}

}  // namespace howdah::hadoop::principals
