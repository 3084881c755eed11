#include "howdah/diagnosis/diagnosis.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "howdah/base/exit_status.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr size_t kLongestCause = 300;
constexpr size_t kLongestAdvice = 400;

// What torch's @record writes: {"message": {"message": "...", "extraInfo": {"py_callstack": "Traceback ..."}}}.
std::string CallstackOf(const std::string& error_file) {
  const auto json = nlohmann::json::parse(error_file, nullptr, /*allow_exceptions=*/false);
  const nlohmann::json* at = &json;
  for (const char* key : {"message", "extraInfo", "py_callstack"}) {
    if (!at->is_object() || !at->contains(key)) return "";
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : "";
}

// As the end of a sentence that goes on: one line, bounded, no period.
std::string AsClause(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return Shorten(std::move(text), kLongestCause);
}

}  // namespace

std::optional<int> SignalOf(const ExitStatus& exit) {
  constexpr int kShellSignalBase = 128, kLastSignal = 64;
  if (exit.signal) return exit.signal;
  if (exit.code && *exit.code > kShellSignalBase && *exit.code <= kShellSignalBase + kLastSignal) {
    return *exit.code - kShellSignalBase;
  }
  return std::nullopt;
}

Seen::Seen(const Evidence& e)
    : evidence(e), err(CleanLines(e.stderr_tail)), out(CleanLines(e.stdout_tail)), signal(SignalOf(e.exit)) {
  if (!e.error_file.empty()) python = FindPythonFailure(CleanLines(CallstackOf(e.error_file)), e.working_directory);
  // Who is killed may have printed tracebacks of exceptions that it handled. Python itself exits 130 after Ctrl-C.
  constexpr int kInterrupt = 2;
  if (!python && (!signal || signal == kInterrupt)) python = FindPythonFailure(err, e.working_directory);
}

std::vector<std::string_view> Seen::LastOfErr(size_t count) const {
  std::vector<std::string_view> last;
  for (auto line = err.rbegin(); line != err.rend() && last.size() < count; ++line) {
    if (!Trim(*line).empty()) last.emplace_back(*line);
  }
  std::reverse(last.begin(), last.end());
  return last;
}

std::string Seen::Where() const { return python && python->last.line > 0 ? " (" + python->last.Where() + ")" : ""; }

namespace {

core::Diagnosis Found(const Seen& seen) {
  // What is most particular comes first: a port that is taken is also an exception, which is also a last line of
  // stderr.
  for (const auto rule :
       {HardwareFailed, PackedPythonBroken, KilledForMemory, AddressInUse, NoConnection, ModuleMissing, PythonRaised,
        LoaderFailed, CommandCannotRun, FileCannotBeOpened, CppThrew, LastWords}) {
    if (auto found = rule(seen)) return std::move(*found);
  }
  return {};
}

}  // namespace

core::Diagnosis Diagnose(const Evidence& evidence) {
  if (evidence.exit.success()) return {};
  const Seen seen(evidence);
  core::Diagnosis diagnosis = Found(seen);
  AddXid(seen, diagnosis);
  diagnosis.cause = AsClause(std::move(diagnosis.cause));
  diagnosis.advice = Shorten(std::move(diagnosis.advice), kLongestAdvice);
  return diagnosis;
}

}  // namespace howdah::diagnosis
