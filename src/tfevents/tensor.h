// The value of a tensor with one element (tensor.proto).
#pragma once

#include <optional>
#include <string_view>

namespace howdah::tfevents {

// Returns nullopt for a tensor with several elements, for one that has no number, and for damaged bytes.
std::optional<double> ScalarOfTensor(std::string_view tensor);

}  // namespace howdah::tfevents
