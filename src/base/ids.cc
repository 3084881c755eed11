#include "howdah/base/ids.h"

namespace howdah {

std::string TaskText(std::string_view role_name, int index) {
  return std::string(role_name) + ":" + std::to_string(index);
}

}  // namespace howdah
