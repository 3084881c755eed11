// Expands ${x} in values.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace howdah::hadoop::conf {

using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

// Replaces ${name} by its value, the leftmost innermost one first, until none is left. Names of the form env.NAME,
// env.NAME:-default and env.NAME-default are looked up in `environment`, all others in `property`. As in
// org.apache.hadoop.conf.Configuration.substituteVars, expansion stops at the first unbound variable, and a value that
// refers to itself is returned unchanged. A value that needs more than 20 steps is returned unchanged, too, where Java
// throws an exception.
std::string Expand(const std::string& text, const Lookup& environment, const Lookup& property);

}  // namespace howdah::hadoop::conf
