#include "howdah/hadoop/rpc/impersonation.h"

#include <string_view>

namespace howdah::hadoop::rpc {

std::string ImpersonationRemedy(const std::string& message, const std::string& prefix, const std::string& file) {
  constexpr std::string_view kUser = "User: ", kImpersonate = " is not allowed to impersonate ";
  const size_t begin = message.find(kUser), middle = message.find(kImpersonate);
  if (begin == std::string::npos || middle == std::string::npos || begin > middle) return "";
  const std::string user = message.substr(begin + kUser.size(), middle - begin - kUser.size());
  const std::string key = prefix + "." + user.substr(0, user.find_first_of("/@"));
  return "; the administrators of the cluster can allow it with " + key + ".hosts and " + key +
         ".users or .groups in " + file;
}

}  // namespace howdah::hadoop::rpc
