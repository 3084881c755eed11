// The rules of Diagnose(). Each recognises one kind of failure and returns nothing for all others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/diagnosis/diagnosis.h"
#include "python.h"
#include "text.h"

namespace howdah::diagnosis {

using Lines = std::vector<std::string>;

// Returns the signal that killed the process. If a shell reports 128 + N for its child, returns N.
std::optional<int> SignalOf(const ExitStatus& exit);

// The evidence, and values derived from it that several rules need.
struct Failure {
  explicit Failure(const Evidence& e);

  const Evidence& evidence;
  Lines err, out;                       // stderr and stdout, cleaned by CleanLines()
  std::optional<PythonFailure> python;  // found in the framework's error file, otherwise in err
  std::optional<int> signal;            // the result of SignalOf

  // Returns the last lines of err: at most `count`, in order, without empty lines and without the C++ frames that torch
  // prints below a message.
  std::vector<std::string_view> LastErrLines(size_t count) const;
  // Returns " (train.py line 7)" if there is a traceback, otherwise "".
  std::string Location() const;
  std::string Host() const { return evidence.host.empty() ? "this node" : evidence.host; }
};

std::optional<core::Diagnosis> FindHardwareFailure(const Failure& failure);
std::optional<core::Diagnosis> FindOutOfMemoryKill(const Failure& failure);
std::optional<core::Diagnosis> FindAddressInUse(const Failure& failure);
std::optional<core::Diagnosis> FindBrokenConnection(const Failure& failure);
std::optional<core::Diagnosis> FindBrokenPackedPython(const Failure& failure);
std::optional<core::Diagnosis> FindUnrunnableCommand(const Failure& failure);
std::optional<core::Diagnosis> FindMissingScript(const Failure& failure);
std::optional<core::Diagnosis> FindLoaderError(const Failure& failure);
std::optional<core::Diagnosis> FindMissingModule(const Failure& failure);
std::optional<core::Diagnosis> FindPythonException(const Failure& failure);
std::optional<core::Diagnosis> FindCppException(const Failure& failure);
std::optional<core::Diagnosis> QuoteLastOutput(const Failure& failure);

// Adds to `found` a GPU error that the driver has logged for the task's GPUs, because it may be the reason for the
// failure.
void AddGpuError(const Failure& failure, core::Diagnosis& found);

// Replaces the advice if the process failed because a file system was full.
void AddFullDisk(const Failure& failure, core::Diagnosis& found);

// Replaces the advice if the program did not find a file that was left out of the copy of the source.
void AddLeftOut(const Failure& failure, core::Diagnosis& found);

// Returns advice for a message of the dynamic loader, or "" if there is none.
std::string LoaderAdvice(std::string_view message, const Failure& failure);

}  // namespace howdah::diagnosis
