#include "howdah/compat/common/translation.h"

namespace howdah::compat::common {

std::string Note::ToText() const {
  return key + (origin.empty() ? "" : " (" + origin + ")") + " has no effect: " + text;
}

}  // namespace howdah::compat::common
