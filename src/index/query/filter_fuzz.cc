// Filters and cursors come from the addresses of pages, which anybody may write.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/index/query/filter.h"
#include "howdah/index/query/order.h"

namespace howdah::index::query {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const JobRow row{.id = "howdah-20261121-064512-x7k2", .name = "resnet50", .user = "ann", .tags = {"a", "b"}};
  const auto parsed = ParseFilter(text, "ann", Instant());
  if (const auto* filter = std::get_if<Filter>(&parsed)) {
    (void)Matches(*filter, row, Instant());
  } else if (std::get<FilterMistake>(parsed).position > text.size() || std::get<FilterMistake>(parsed).text.empty()) {
    __builtin_trap();
  }
  const Order order;
  if (const auto position = ReadCursor(text, order); position.ok()) {
    const auto again = ReadCursor(WriteCursor(order, *position), order);
    if (!again.ok() || *again != *position) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::index::query
