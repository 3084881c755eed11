// ${VAR}, ${VAR:-default} and $$ in the values of job files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::jobspec {

struct Expansion {
  std::string text;
  std::vector<std::string> unset;  // variables that are not set and have no default, each once; the first ten
};

// As a shell does, a default stands for an empty variable too, and may itself contain variables. Any '$' that begins
// none of the three forms stays.
Expansion ExpandVariables(std::string_view text,
                          const std::function<std::optional<std::string>(const std::string&)>& variable);

// The text that expands to `text` again.
std::string EscapeDollars(std::string_view text);

// [A-Za-z_][A-Za-z0-9_]*
bool IsVariableName(std::string_view name);

}  // namespace howdah::jobspec
