// Reads pickled Python data. Unlike Python's own reader it calls and imports nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::frameworks::horovod {

struct PickledValue {
  enum class Kind { kInt, kText, kBytes, kTuple, kList, kDict };
  Kind kind = Kind::kInt;
  int64_t number = 0;
  std::string text;                 // of kText and kBytes
  std::vector<PickledValue> items;  // of a dict: key, value, key, value
};

// Protocols 2 to 5, restricted to numbers up to 32 bits, strings, bytes, and tuples, lists and dicts of these that
// occur once each. nullopt: anything else.
std::optional<PickledValue> Unpickle(std::string_view bytes);

}  // namespace howdah::frameworks::horovod
