// The rules of Diagnose(), each of which knows one kind of failure and is silent about all others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/diagnosis/diagnosis.h"
#include "python.h"
#include "text.h"

namespace howdah::diagnosis {

using Lines = std::vector<std::string>;

// That ended the process, or one of its own, as its shell told: 128 + signal.
std::optional<int> SignalOf(const ExitStatus& exit);

// The evidence with what several rules need worked out once.
struct Seen {
  explicit Seen(const Evidence& e);

  const Evidence& evidence;
  Lines err, out;                       // clean
  std::optional<PythonFailure> python;  // from the framework's error file, else from err; none after a signal
  std::optional<int> signal;            // SignalOf

  // The last lines of err that are not empty, at most count, in order.
  std::vector<std::string_view> LastOfErr(size_t count) const;
  // " (train.py line 7)" where Python says it, else nothing.
  std::string Where() const;
  std::string Host() const { return evidence.host.empty() ? "this node" : evidence.host; }
};

std::optional<core::Diagnosis> HardwareFailed(const Seen& seen);
std::optional<core::Diagnosis> KilledForMemory(const Seen& seen);
std::optional<core::Diagnosis> AddressInUse(const Seen& seen);
std::optional<core::Diagnosis> NoConnection(const Seen& seen);
std::optional<core::Diagnosis> PackedPythonBroken(const Seen& seen);
std::optional<core::Diagnosis> CommandCannotRun(const Seen& seen);
std::optional<core::Diagnosis> FileCannotBeOpened(const Seen& seen);
std::optional<core::Diagnosis> LoaderFailed(const Seen& seen);
std::optional<core::Diagnosis> ModuleMissing(const Seen& seen);
std::optional<core::Diagnosis> PythonRaised(const Seen& seen);
std::optional<core::Diagnosis> CppThrew(const Seen& seen);
std::optional<core::Diagnosis> LastWords(const Seen& seen);

// What the driver said of the task's GPUs, if it said anything: it may be the reason for what was found.
void AddXid(const Seen& seen, core::Diagnosis& found);

// What to do about a message of the dynamic loader, or empty.
std::string LoaderAdvice(std::string_view message, const Seen& seen);

}  // namespace howdah::diagnosis
