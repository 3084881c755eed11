// The contents of configuration files, from their properties, as Hadoop's PublishedConfigurationOutputter writes them.
#pragma once

#include <string>

#include "records.h"

namespace howdah::compat::yarnfile {

// The key of `properties` that has the whole text of a TEMPLATE.
inline constexpr char kContent[] = "content";

// The text of a file of a type that is made of properties: not STATIC or ARCHIVE. `properties` is in the order of the
// file.
std::string ConfigText(ConfigType type, const Pairs& properties);

// The properties as elements of Hadoop's XML, without the element around them.
std::string HadoopProperties(const Pairs& properties);

}  // namespace howdah::compat::yarnfile
