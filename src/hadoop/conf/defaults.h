// Hadoop's defaults for the keys that Howdah uses.
#pragma once

#include <optional>
#include <string_view>

namespace howdah::hadoop::conf {

// The value in Hadoop's *-default.xml. Its variables are not expanded. Returns nullopt if the key has no default or
// Howdah does not use the key.
std::optional<std::string_view> DefaultOf(std::string_view key);

// The present name of a deprecated key ("fs.default.name" → "fs.defaultFS"). Other keys are returned unchanged.
std::string_view PresentName(std::string_view key);

}  // namespace howdah::hadoop::conf
