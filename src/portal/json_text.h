// Helpers for the JSON of the portal's answers. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/time.h"

namespace howdah::portal {

// Keeps the order in which the fields are written, because people read these objects, too.
using Json = nlohmann::ordered_json;

// On one line. Bytes that are not UTF-8 become replacement characters.
inline std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The result is discarded (is_discarded()) if the text is not JSON.
inline Json ParseJson(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

inline Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
inline Json OrNull(const std::optional<Instant>& time) { return time ? Json(FormatInstant(*time)) : Json(nullptr); }
inline Json OrNull(const std::optional<int>& value) { return value ? Json(*value) : Json(nullptr); }
inline Json OrNull(const std::optional<int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
inline Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// Rounds to milliseconds.
inline double Seconds(Duration time) {
  return static_cast<double>(std::chrono::round<std::chrono::milliseconds>(time).count()) / 1000;
}

// One object with the fields of both. Each text is a JSON object that begins with '{' and ends with '}'; the two have
// no field in common.
inline std::string JoinObjects(std::string_view first, std::string_view second) {
  if (first == "{}") return std::string(second);
  if (second == "{}") return std::string(first);
  return std::string(first.substr(0, first.size() - 1)) + "," + std::string(second.substr(1));
}

}  // namespace howdah::portal
