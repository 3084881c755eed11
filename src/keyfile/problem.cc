#include "howdah/keyfile/problem.h"

namespace howdah::keyfile {

std::string Problem::ToText() const {
  std::string text = file;
  if (line != 0) text += ":" + std::to_string(line);
  if (!key.empty()) text += ": " + key;
  return text + ": " + this->text;
}

}  // namespace howdah::keyfile
