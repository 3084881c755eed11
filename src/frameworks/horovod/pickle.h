// Reads pickled Python data. Unlike Python's own reader, it neither imports modules nor calls functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace howdah::frameworks::horovod {

struct PickledValue {
  enum class Kind { kInt, kText, kBytes, kTuple, kList, kDict };
  Kind kind = Kind::kInt;
  int64_t number = 0;
  std::string_view text = {};            // the content of kText and kBytes; points into the pickle
  std::vector<PickledValue> items = {};  // for a dict, keys and values alternate
  int depth = 0;                         // 1 more than the largest depth of the items; 0 without items
};

// Reads protocols 2 to 5, restricted to numbers of up to 32 bits, strings, bytes, and tuples, lists and dicts of these.
// A tuple, list or dict must not be referenced twice, and may be nested 20 deep. Returns nullopt for any other data.
// Memory is proportional to the size of the pickle.
std::optional<PickledValue> Unpickle(std::string_view bytes);

}  // namespace howdah::frameworks::horovod
