// The keys of a Skein specification and their translation. The table of docs/skein.md is generated from this table.
#pragma once

#include <string>

#include "howdah/compat/common/key_table.h"

namespace howdah::compat::skeinspec {

// Every key, in the order of the page. <service> and <file> stand for a name.
const common::KeyTable& Keys();

// The sections that end docs/skein.md (Markdown).
std::string KeysText();

}  // namespace howdah::compat::skeinspec
