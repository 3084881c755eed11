// ${x} in values.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace howdah::hadoop::conf {

using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

// Replaces the innermost ${name}, from the left, until none is left; names of the form env.NAME, env.NAME:-default and
// env.NAME-default are asked of `environment`, the others of `property`. As
// org.apache.hadoop.conf.Configuration.substituteVars does: what is unbound ends it, and stays literal with all that
// follows; a value that names itself stays as it was written. So does one that is not done after 20 steps, where Java
// throws.
std::string Expand(const std::string& text, const Lookup& environment, const Lookup& property);

}  // namespace howdah::hadoop::conf
