// What is broken on the node, so that its tasks fail whoever wrote them.
#include "rules.h"

namespace howdah::diagnosis {
namespace {

// What drivers and libraries print when the node's hardware or driver, and not the program, has failed.
struct Sign {
  std::string_view phrase;
  std::string_view means;  // of the node
};
constexpr Sign kSigns[] = {
    {"uncorrectable ECC error", "the memory of a GPU has an error that cannot be corrected"},
    {"CUDA_ERROR_ECC_UNCORRECTABLE", "the memory of a GPU has an error that cannot be corrected"},
    {"ncorrectable NVLink error", "the NVLink of a GPU has failed"},
    {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "the NVLink of a GPU has failed"},
    {"GPU has fallen off the bus", "a GPU has fallen off the bus"},
    {"GPU is lost", "a GPU has fallen off the bus"},
    {"system not yet initialized", "the fabric manager of its GPUs does not run"},
    {"CUDA_ERROR_SYSTEM_NOT_READY", "the fabric manager of its GPUs does not run"},
};

}  // namespace

std::optional<core::Diagnosis> HardwareFailed(const Seen& seen) {
  constexpr size_t kRecent = 30;  // lines: PyTorch prints a stack of C++ behind the message
  const auto lines = seen.LastOfErr(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (const Sign& sign : kSigns) {
      if (!Contains(*line, sign.phrase)) continue;
      return core::Diagnosis{.cause = std::string(sign.means) + " on " + seen.Host() + ": " + std::string(Trim(*line)),
                             .advice = "have " + seen.Host() + " looked at: the kernel log (dmesg) and nvidia-smi -q",
                             .node_fault = true};
    }
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
