// ${VAR}, ${VAR:-default} and $$ in the values of job files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::keyfile {

struct Expansion {
  std::string text;
  std::vector<std::string> unset;  // variables without a value or default, each once; at most ten
};

// Expands the variables in the text. As in a shell, the default also replaces an empty variable, and a default may
// contain variables. Any other '$' is kept.
Expansion ExpandVariables(std::string_view text,
                          const std::function<std::optional<std::string>(const std::string&)>& variable);

// Returns the text that ExpandVariables would expand to `text`.
std::string EscapeDollars(std::string_view text);

// Whether the text matches [A-Za-z_][A-Za-z0-9_]*.
bool IsVariableName(std::string_view name);

}  // namespace howdah::keyfile
