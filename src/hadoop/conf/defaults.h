// What Hadoop itself says of the keys that Howdah uses.
#pragma once

#include <optional>
#include <string_view>

namespace howdah::hadoop::conf {

// The value of Hadoop's *-default.xml, raw (it may have variables). nullopt: there is none, or we do not use the key.
std::optional<std::string_view> DefaultOf(std::string_view key);

// The name that a deprecated key has now ("fs.default.name" → "fs.defaultFS"); any other key is returned as it is.
std::string_view PresentName(std::string_view key);

}  // namespace howdah::hadoop::conf
