// The keys of Slider's files and their translation. The tables of docs/slider.md are generated from this table. The
// keys and their defaults are those of Slider's last development version (ResourceKeys, OptionKeys, AgentKeys,
// Component, DockerContainer, and the TensorFlow package of app-packages/tensorflow).
#pragma once

#include <string>

#include "howdah/compat/common/key_table.h"

namespace howdah::compat::slider {

// Every key, in the order of the page. <name>, <component> and <container> stand for a name.
const common::KeyTable& Keys();

// The tables as they end docs/slider.md (Markdown).
std::string KeysText();

}  // namespace howdah::compat::slider
