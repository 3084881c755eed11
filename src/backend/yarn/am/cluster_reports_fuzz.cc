// Fuzzed input: reports of the ResourceManager that an AM reads. The first byte selects the report: the queues of the
// cluster, or the attempts of the AM's application.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "am_attempts.h"
#include "preemption.h"

namespace howdah::backend::yarn::am {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ::hadoop::yarn::QueueInfoProto root;
  ::hadoop::yarn::GetApplicationAttemptsResponseProto attempts;
  if (data[0] % 2 == 0 && root.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    for (const char* label : {"", "gpu"}) PreemptingQueue(LeafQueues(root), "root.a", label);
  } else if (data[0] % 2 == 1 && attempts.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    const auto& all = attempts.application_attempts();
    const int64_t failed = CountFailedAttempts(1000, {all.begin(), all.end()}, Instant(std::chrono::hours(480'000)));
    if (failed < 0 || failed > all.size()) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::backend::yarn::am
