// Header values that are lists of elements with parameters: "gzip;q=0, br". Pure.
#pragma once

#include <algorithm>
#include <string_view>

#include "howdah/base/text.h"

namespace howdah::web {

// Calls f with each element, without blanks around it, until f returns true. Returns whether it did.
template <typename F>
bool AnyElement(std::string_view list, char separator, const F& f) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(separator), list.size());
    if (f(Trim(list.substr(0, end)))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// The element without its parameters, in lower case.
inline std::string NameOf(std::string_view element) { return LowerCase(Trim(element.substr(0, element.find(';')))); }

// Whether a parameter "q" of the element is 0: the client refuses it.
inline bool HasZeroQuality(std::string_view element) {
  return AnyElement(element, ';', [](std::string_view parameter) {
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
    const std::string_view quality = parameter.substr(2);
    return quality.starts_with('0') && quality.find_first_not_of("0.") == std::string_view::npos;
  });
}

}  // namespace howdah::web
