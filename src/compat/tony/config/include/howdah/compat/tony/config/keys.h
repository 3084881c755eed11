// The keys of TonY's configuration and their translation. The page docs/tony-keys.md is generated from this table. The
// keys and their defaults are those of TonY 0.5.3 and its master of 2023-10-14 (TonyConfigurationKeys,
// tony-default.xml).
#pragma once

#include <string>

#include "howdah/compat/common/key_table.h"

namespace howdah::compat::tony::config {

// Every key, in the order of the page. <job>, <G> and <resource> stand for a name.
const common::KeyTable& Keys();

// The reference page of the docs (Markdown).
std::string KeysPage();

}  // namespace howdah::compat::tony::config
