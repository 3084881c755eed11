// Parses the input as pickled data from a Horovod process.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/frameworks/horovod/horovod_notice.h"
#include "pickle.h"

namespace howdah::frameworks::horovod {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(Unpickle(text));
  static_cast<void>(ReadNoticeAddress(text));
  return 0;
}

}  // namespace howdah::frameworks::horovod
