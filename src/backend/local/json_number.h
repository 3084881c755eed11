// Whole numbers in the state files of jobs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace howdah::backend::local {

// Throws json::exception for a fraction, as nlohmann does for a missing key: converting a large one to a whole number
// is undefined.
inline int64_t WholeNumber(const nlohmann::json& number) {
  return number.get_ref<const nlohmann::json::number_integer_t&>();
}

}  // namespace howdah::backend::local
