// Failures of the node's hardware and drivers. They can make any program fail.
#include <algorithm>

#include "kernel.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

// A message that drivers and libraries print when the hardware or the driver has failed, but not when the program is
// wrong.
struct HardwareError {
  std::string_view phrase;
  std::string_view meaning;  // followed by "on node7" in the cause
};
constexpr HardwareError kHardwareErrors[] = {
    {"uncorrectable ECC error", "uncorrectable memory error of a GPU"},
    {"CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable memory error of a GPU"},
    {"ncorrectable NVLink error", "failed NVLink of a GPU"},
    {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "failed NVLink of a GPU"},
    {"GPU has fallen off the bus", "a GPU has fallen off the bus"},
    {"GPU is lost", "a GPU has fallen off the bus"},
    {"system not yet initialized", "the GPU fabric manager is not running"},
    {"CUDA_ERROR_SYSTEM_NOT_READY", "the GPU fabric manager is not running"},
};

// The meaning of the driver's error numbers (Xid). The most severe error comes first, because one failure of a GPU
// causes several errors. The Xids that are not listed do not show whether the hardware or the program is the cause.
struct GpuError {
  int number;
  std::string_view meaning;
  bool node_fault;
};
constexpr GpuError kGpuErrors[] = {
    {79, "the GPU has fallen off the bus", true},
    {48, "uncorrectable memory error (ECC)", true},
    {95, "uncorrectable memory error (ECC), not contained", true},
    {94, "uncorrectable memory error (ECC)", true},
    {140, "uncorrectable memory error (ECC)", true},
    {64, "a bad memory row could not be remapped", true},
    {74, "NVLink failure", true},
    {62, "its microcontroller has halted", true},
    {119, "its system processor (GSP) does not respond", true},
    {120, "its system processor (GSP) has failed", true},
    {92, "too many corrected memory errors (ECC)", true},
    {63, "a bad memory row is being remapped", true},
    {31, "the program accessed GPU memory that it does not own", false},
    {13, "the program made an invalid access or executed an invalid instruction", false},
    {43, "the driver stopped the program because of an error in the program", false},
    {45, "the program was killed while it used the GPU", false},
};

bool BelongsToTask(const Failure& failure, const std::string& pci) {
  const auto& own = failure.evidence.pci_addresses;
  return own.empty() ||
         std::any_of(own.begin(), own.end(), [&](const auto& gpu) { return PciAddress(gpu.second) == pci; });
}

// Returns "GPU 1 (PCI 0000:3b:00)". If the GPU's index is unknown, returns "the GPU at PCI 0000:3b:00".
std::string NameOf(const Failure& failure, const std::string& pci) {
  for (const auto& [index, address] : failure.evidence.pci_addresses) {
    if (PciAddress(address) == pci) return "GPU " + std::to_string(index) + " (PCI " + pci + ")";
  }
  return "the GPU at PCI " + pci;
}

std::string CheckAdvice(const Failure& failure) {
  return "have " + failure.Host() + " checked (dmesg, nvidia-smi -q); the GPU needs a reset or a replacement";
}

}  // namespace

void AddGpuError(const Failure& failure, core::Diagnosis& found) {
  if (failure.evidence.gpus == 0) return;
  const std::vector<Xid> xids = XidsIn(failure.evidence.kernel_log);
  for (const GpuError& meaning : kGpuErrors) {
    const auto xid = std::find_if(xids.begin(), xids.end(), [&](const Xid& x) {
      return x.number == meaning.number && BelongsToTask(failure, x.pci);
    });
    if (xid == xids.end()) continue;
    const std::string error = NameOf(failure, xid->pci) + " on " + failure.Host() +
                              (meaning.node_fault ? " failed" : "") + ": Xid " + std::to_string(xid->number) + ", " +
                              std::string(meaning.meaning);
    if (meaning.node_fault) {
      found.cause = error + (found.cause.empty() ? "" : "; " + found.cause);
      found.advice = CheckAdvice(failure);
      found.consequence = false;
      found.node_fault = true;
    } else {
      found.cause += (found.cause.empty() ? "" : "; ") + error;
    }
    return;
  }
}

std::optional<core::Diagnosis> FindHardwareFailure(const Failure& failure) {
  // The number of last lines that are searched. It is large, because PyTorch prints a C++ stack after the message.
  constexpr size_t kRecent = 30;
  const auto lines = failure.LastErrLines(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (const HardwareError& error : kHardwareErrors) {
      if (!Contains(*line, error.phrase)) continue;
      return core::Diagnosis{
          .cause = std::string(error.meaning) + " on " + failure.Host() + ": " + std::string(Trim(*line)),
          .advice = CheckAdvice(failure),
          .node_fault = true};
    }
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
