#include "howdah/diagnosis/diagnosis.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr size_t kLongestCause = 300;
constexpr size_t kLongestAdvice = 400;

// Reads the call stack from the file that torch's @record writes: {"message": {"message": "...", "extraInfo":
// {"py_callstack": "Traceback ..."}}}.
std::string CallstackOf(const std::string& error_file) {
  const auto json = nlohmann::json::parse(error_file, nullptr, /*allow_exceptions=*/false);
  const nlohmann::json* at = &json;
  for (const char* key : {"message", "extraInfo", "py_callstack"}) {
    if (!at->is_object() || !at->contains(key)) return "";
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : "";
}

// Converts the text to one line of limited length without a period, for the end of a sentence.
std::string AsClause(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return Shorten(std::move(text), kLongestCause);
}

}  // namespace

std::optional<int> SignalOf(const ExitStatus& exit) {
  return exit.code ? FromShellCode(*exit.code).signal : exit.signal;
}

Failure::Failure(const Evidence& e)
    : evidence(e), err(CleanLines(e.stderr_tail)), out(CleanLines(e.stdout_tail)), signal(SignalOf(e.exit)) {
  if (!e.error_file.empty()) python = FindPythonFailure(CleanLines(CallstackOf(e.error_file)), e.working_directory);
  // Ignore the tracebacks of a killed process, because they may belong to exceptions that the process handled. This
  // does not apply to SIGINT: Python exits with 130 after Ctrl-C and prints a traceback.
  constexpr int kInterrupt = 2;
  if (!python && (!signal || signal == kInterrupt)) python = FindPythonFailure(err, e.working_directory);
}

std::vector<std::string_view> Failure::LastErrLines(size_t count) const {
  std::vector<std::string_view> last;
  for (auto line = err.rbegin(); line != err.rend() && last.size() < count; ++line) {
    if (!Trim(*line).empty() && !line->starts_with("frame #")) last.emplace_back(*line);
  }
  std::reverse(last.begin(), last.end());
  return last;
}

std::string Failure::Location() const {
  return python && python->last.line > 0 ? " (" + python->last.Location() + ")" : "";
}

namespace {

// More specific rules come first. For example, a port in use is also an exception, and every exception is also part of
// the last lines of stderr.
constexpr std::optional<core::Diagnosis> (*kRules[])(const Failure&) = {
    FindHardwareFailure,   FindBrokenPackedPython, FindOutOfMemoryKill, FindAddressInUse,
    FindBrokenConnection,  FindMissingModule,      FindPythonException, FindLoaderError,
    FindUnrunnableCommand, FindMissingScript,      FindCppException,    QuoteLastOutput,
};

core::Diagnosis FirstFinding(const Failure& failure) {
  for (const auto rule : kRules) {
    if (auto found = rule(failure)) return std::move(*found);
  }
  return {};
}

}  // namespace

core::Diagnosis Diagnose(const Evidence& evidence) {
  if (evidence.exit.success()) return {};
  const Failure failure(evidence);
  core::Diagnosis diagnosis = FirstFinding(failure);
  AddFullDisk(failure, diagnosis);
  AddLeftOut(failure, diagnosis);
  AddGpuError(failure, diagnosis);
  diagnosis.cause = AsClause(std::move(diagnosis.cause));
  diagnosis.advice = Shorten(std::move(diagnosis.advice), kLongestAdvice);
  return diagnosis;
}

}  // namespace howdah::diagnosis
