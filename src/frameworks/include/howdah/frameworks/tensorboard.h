// Reads the text that TensorBoard prints when it starts.
#pragma once

#include <cstdint>
#include <string>

namespace howdah::frameworks {

// Returns the address in "TensorBoard 2.21.0 at http://localhost:6006/ (Press CTRL+C to quit)". Returns "" if the
// output does not contain such a line yet.
std::string TensorBoardAddress(const std::string& output);
// Returns the port in such an address, or 0 if the address has none.
uint16_t PortOf(const std::string& address);

}  // namespace howdah::frameworks
