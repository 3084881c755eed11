// The input is a sequence of requests to the key-value store of a rendezvous. The first byte of a request determines
// the method and the length of the path that follows.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/frameworks/horovod/key_value_store.h"

namespace howdah::frameworks::horovod {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr size_t kLimit = 1000;
  KeyValueStore store(kLimit);
  constexpr const char* kMethods[] = {"GET", "PUT", "DELETE", "POST"};
  std::string_view left = text;
  Instant now{};
  for (KeyValueStore::RequestId id = 1; !left.empty(); ++id) {
    const auto kind = static_cast<unsigned char>(left.front());
    left.remove_prefix(1);
    const std::string_view path = left.substr(0, kind >> 2);
    left.remove_prefix(path.size());
    store.OnRequest(id, {kMethods[kind & 3], std::string(path), std::string(left.substr(0, kind))}, now);
    now += std::chrono::milliseconds(kind);
    if (store.NextDeadline() && *store.NextDeadline() <= now) store.OnTime(now);
  }
  store.Clear();
  return 0;
}

}  // namespace howdah::frameworks::horovod
