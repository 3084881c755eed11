// What is broken on the node, so that its tasks fail whoever wrote them.
#include <algorithm>

#include "kernel.h"
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

// What the driver's errors mean. The worst first: one failure of a GPU brings several. Of the other numbers the driver
// itself does not know whose fault they are.
struct XidMeaning {
  int number;
  std::string_view means;
  bool of_node;
};
constexpr XidMeaning kXids[] = {
    {79, "the GPU has fallen off the bus", true},
    {48, "its memory has an error that cannot be corrected (ECC)", true},
    {95, "its memory has an error that cannot be corrected and may have spread (ECC)", true},
    {94, "its memory has an error that cannot be corrected (ECC)", true},
    {140, "its memory has an error that cannot be corrected (ECC)", true},
    {64, "a bad row of its memory could not be replaced", true},
    {74, "its NVLink has failed", true},
    {62, "its microcontroller has halted", true},
    {119, "its system processor (GSP) does not answer", true},
    {120, "its system processor (GSP) has failed", true},
    {92, "its memory has too many errors that were corrected (ECC)", true},
    {63, "a bad row of its memory is being replaced", true},
    {31, "the program used memory of the GPU that it does not have", false},
    {13, "the program made an access or instruction that the GPU refused", false},
    {43, "the driver stopped the program for an error of its own", false},
    {45, "the program was ended while it used the GPU", false},
};

bool IsOwn(const Seen& seen, const std::string& pci) {
  const auto& own = seen.evidence.pci_addresses;
  return own.empty() ||
         std::any_of(own.begin(), own.end(), [&](const auto& gpu) { return PciAddress(gpu.second) == pci; });
}

// "GPU 1 (PCI 0000:3b:00)"; without the index where it is not known.
std::string NameOf(const Seen& seen, const std::string& pci) {
  for (const auto& [index, address] : seen.evidence.pci_addresses) {
    if (PciAddress(address) == pci) return "GPU " + std::to_string(index) + " (PCI " + pci + ")";
  }
  return "the GPU at PCI " + pci;
}

std::string LookAdvice(const Seen& seen) {
  return "have " + seen.Host() + " looked at (dmesg, nvidia-smi -q); its GPU needs a reset, or to be replaced";
}

}  // namespace

void AddXid(const Seen& seen, core::Diagnosis& found) {
  if (seen.evidence.gpus == 0) return;
  const std::vector<Xid> xids = XidsIn(seen.evidence.kernel_log);
  for (const XidMeaning& meaning : kXids) {
    const auto xid = std::find_if(xids.begin(), xids.end(),
                                  [&](const Xid& x) { return x.number == meaning.number && IsOwn(seen, x.pci); });
    if (xid == xids.end()) continue;
    const std::string said = NameOf(seen, xid->pci) + " of " + seen.Host() + (meaning.of_node ? " failed" : "") +
                             ": Xid " + std::to_string(xid->number) + ", " + std::string(meaning.means);
    if (meaning.of_node) {
      found.cause = said + (found.cause.empty() ? "" : "; " + found.cause);
      found.advice = LookAdvice(seen);
      found.consequence = false;
      found.node_fault = true;
    } else {
      found.cause += (found.cause.empty() ? "" : "; ") + said;
    }
    return;
  }
}

std::optional<core::Diagnosis> HardwareFailed(const Seen& seen) {
  constexpr size_t kRecent = 30;  // lines: PyTorch prints a stack of C++ behind the message
  const auto lines = seen.LastOfErr(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (const Sign& sign : kSigns) {
      if (!Contains(*line, sign.phrase)) continue;
      return core::Diagnosis{.cause = std::string(sign.means) + " on " + seen.Host() + ": " + std::string(Trim(*line)),
                             .advice = LookAdvice(seen),
                             .node_fault = true};
    }
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
