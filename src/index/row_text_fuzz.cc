// The rows of the index are in a file that other programs of the user can change.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "row_text.h"

namespace howdah::index {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto row = ReadRow({reinterpret_cast<const char*>(data), size});
  if (!row) return 0;
  const auto again = ReadRow(WriteRow(*row));
  if (!again || WriteRow(*again) != WriteRow(*row)) __builtin_trap();
  return 0;
}

}  // namespace howdah::index
