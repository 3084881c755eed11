// Whole numbers in the state files of jobs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace howdah::backend::local {

// Throws json::exception for a number with a fraction, as nlohmann does for a missing key: converting a large
// floating-point number to an integer would be undefined behaviour.
inline int64_t WholeNumber(const nlohmann::json& number) {
  return number.get_ref<const nlohmann::json::number_integer_t&>();
}

}  // namespace howdah::backend::local
