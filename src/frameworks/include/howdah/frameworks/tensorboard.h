// What TensorBoard says of itself when it is started.
#pragma once

#include <cstdint>
#include <string>

namespace howdah::frameworks {

// The address in its announcement ("TensorBoard 2.21.0 at http://localhost:6006/ (Press CTRL+C to quit)"); empty: there
// is none yet in this output.
std::string TensorBoardAddress(const std::string& output);
// The port of such an address; 0: it has none.
uint16_t PortOf(const std::string& address);

}  // namespace howdah::frameworks
