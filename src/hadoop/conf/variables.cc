#include "variables.h"

#include <string_view>

namespace howdah::hadoop::conf {
namespace {

constexpr int kMaxSteps = 20;

struct Bounds {
  size_t begin = 0, end = 0;  // the range of the whole "${name}"
};

// Finds the leftmost "${name}" with a non-empty name that has no '$', '}' or space.
std::optional<Bounds> FindVariable(std::string_view text) {
  for (size_t begin = text.find("${"); begin != std::string_view::npos; begin = text.find("${", begin + 1)) {
    const size_t end = text.find_first_of("$} ", begin + 2);
    if (end == std::string_view::npos) return std::nullopt;
    if (text[end] == '}' && end > begin + 2) return Bounds{begin, end + 1};
  }
  return std::nullopt;
}

// Resolves ${env.…}. `name` is the part after "env.", with its default if there is one.
std::optional<std::string> OfEnvironment(const std::string& name, const Lookup& environment) {
  for (size_t i = 0; i < name.size(); ++i) {
    const bool or_if_empty = name[i] == ':' && i + 1 < name.size() && name[i + 1] == '-';
    if (!or_if_empty && name[i] != '-') continue;
    const auto value = environment(name.substr(0, i));
    if (value && !(or_if_empty && value->empty())) return value;
    return name.substr(i + (or_if_empty ? 2 : 1));
  }
  return environment(name);
}

}  // namespace

std::string Expand(const std::string& text, const Lookup& environment, const Lookup& property) {
  std::string value = text;
  for (int step = 0; step < kMaxSteps; ++step) {
    const auto variable = FindVariable(value);
    if (!variable) return value;
    const std::string whole = value.substr(variable->begin, variable->end - variable->begin);
    const std::string name = whole.substr(2, whole.size() - 3);
    std::optional<std::string> bound;
    if (name.starts_with("env.") && name.size() > 4) bound = OfEnvironment(name.substr(4), environment);
    if (!bound) bound = property(name);
    if (!bound) return value;
    if (bound->find(whole) != std::string::npos) return text;
    value.replace(variable->begin, whole.size(), *bound);
  }
  return FindVariable(value) ? text : value;
}

}  // namespace howdah::hadoop::conf
