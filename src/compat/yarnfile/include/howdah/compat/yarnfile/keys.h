// The keys of Yarnfiles and their translation. The tables in docs/yarnfile.md are generated from this table. The keys
// are those of Hadoop 3.3 to 3.5 (org.apache.hadoop.yarn.service.api.records, YarnServiceConf, MonitorKeys).
#pragma once

#include <string>

#include "howdah/compat/common/key_table.h"

namespace howdah::compat::yarnfile {

// Every key, in the order of the page. Keys of `artifact`, `resource` and `configuration` exist in the service and in
// each component.
const common::KeyTable& Keys();

// The tables of the reference page (Markdown).
std::string KeysPage();

}  // namespace howdah::compat::yarnfile
