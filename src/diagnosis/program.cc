// Programs that ran and failed: out of memory, uncaught exceptions, and for all other failures the last output.
#include <algorithm>

#include "advice.h"
#include "howdah/base/bytes.h"
#include "kernel.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr int kKill = 9;

// Formats "4.9 GiB of the 4 GiB requested". Returns "" if the use or the request is unknown.
std::string MemoryUse(const Evidence& e) {
  if (e.memory_peak_bytes == 0 || e.memory_requested_bytes == 0) return "";
  return FormatBytes(e.memory_peak_bytes) + " of the " + FormatBytes(e.memory_requested_bytes) + " requested";
}

bool MentionsOutOfMemory(std::string_view text) {
  for (const std::string_view phrase :
       {"MemoryError", "can't allocate memory", "Cannot allocate memory", "bad_alloc"}) {
    if (Contains(text, phrase)) return true;
  }
  return false;
}

std::string MemoryAdvice(const Evidence& e) {
  const std::string used = MemoryUse(e);
  return "raise the role's `" + e.memory_key + "`, or process less data at a time" +
         (used.empty() ? "" : "; the task had used " + used);
}

// Returns the module in "No module named 'a.b'" or "No module named a".
std::string ModuleIn(std::string_view text) {
  constexpr std::string_view kStart = "No module named ";
  const size_t at = text.find(kStart);
  if (at == text.npos) return "";
  std::string_view name = text.substr(at + kStart.size());
  if (name.starts_with('\'')) name.remove_prefix(1);
  return std::string(name.substr(0, name.find_first_of("'\" );,")));
}

std::string ModuleAdvice(const std::string& module, const Failure& failure) {
  const Evidence& e = failure.evidence;
  const std::string package = module.substr(0, module.find('.'));
  std::vector<std::string> own;  // the modules in the working directory
  for (const std::string& file : e.directory_files) {
    if (file.ends_with(".py")) own.push_back(file.substr(0, file.size() - 3));
  }
  if (const auto nearest = Nearest(package, own))
    return "did you mean " + *nearest + ", which is in the working directory?";
  const std::optional<std::string> other_name = PackageOfModule(module);
  const size_t dot = module.rfind('.');
  if (!other_name && dot != module.npos) {  // Python names the first component that it cannot find
    return "the installed " + module.substr(0, dot) + " has no module " + module.substr(dot + 1) +
           ": check its version, and whether a file of the same name in the working directory hides it";
  }
  const std::string wanted = other_name ? "the package " + *other_name + " (module " + package + ")" : package;
  if (e.python_archive) return "add " + wanted + " to the environment packed in `python: {archive: ...}`";
  return "install " + wanted + " for " + (e.interpreter.empty() ? "the command's interpreter" : e.interpreter) +
         " on " + failure.Host() + ", or set `python: {archive: ...}` to a packed environment that has it";
}

// Whether a line is a logger's informational message or a separator.
bool IsNoise(std::string_view line) {
  line = Trim(line);
  const bool glog = line.size() > 5 && (line[0] == 'I' || line[0] == 'W') &&
                    std::all_of(line.begin() + 1, line.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
  return line.empty() || glog || line.starts_with("WARNING: All log messages before absl::InitializeLog()") ||
         line.starts_with("WARNING: Logging before InitGoogleLogging()") ||
         line.find_first_not_of("-=_*#^~.+| ") == line.npos;
}

// Joins the last meaningful lines. Returns "" if there are none.
std::string JoinLast(const Lines& lines) {
  constexpr size_t kLines = 3;
  constexpr size_t kLongestLine = 120;
  std::vector<std::string> last;
  for (const bool with_noise : {false, true}) {
    for (auto line = lines.rbegin(); line != lines.rend() && last.size() < kLines; ++line) {
      if (Trim(*line).empty() || (!with_noise && IsNoise(*line))) continue;
      last.push_back(Shorten(std::string(Trim(*line)), kLongestLine));
    }
    if (!last.empty()) break;
  }
  std::string joined;
  for (auto line = last.rbegin(); line != last.rend(); ++line) joined += (joined.empty() ? "" : " | ") + *line;
  return joined;
}

}  // namespace

std::optional<core::Diagnosis> FindOutOfMemoryKill(const Failure& failure) {
  const Evidence& e = failure.evidence;
  if (failure.signal != kKill) return std::nullopt;
  // The pid in the kernel log may differ from the known pid: the killed process may be a shell's child, or the
  // container may have its own pid namespace.
  const std::vector<OomKill> kills = OomKillsIn(e.kernel_log);
  auto kill = std::find_if(kills.rbegin(), kills.rend(), [&](const OomKill& k) { return k.pid == e.pid; });
  if (kill == kills.rend() && (e.kernel_oom || !e.exit.signal)) kill = kills.rbegin();
  if (kill == kills.rend() && !e.kernel_oom) return std::nullopt;
  const std::string used = MemoryUse(e), had = used.empty() ? "" : "; the task had used " + used;
  if (kill != kills.rend() ? kill->of_cgroup : e.cgroup_full) {
    return core::Diagnosis{
        "killed by the kernel because its cgroup on " + failure.Host() + " had reached its memory limit" + had,
        MemoryAdvice(e)};
  }
  return core::Diagnosis{
      "killed by the kernel because " + failure.Host() + " was out of memory (the node, not the container)" + had,
      e.memory_peak_bytes > e.memory_requested_bytes
          ? "request as much memory as the task uses, so that nodes are not overcommitted"
          : "the task stayed within its memory: run fewer or smaller tasks on that node at a time"};
}

std::optional<core::Diagnosis> FindMissingModule(const Failure& failure) {
  if (failure.python) {
    const PythonException& last = failure.python->last;
    const std::string module = last.type == "ModuleNotFoundError" ? ModuleIn(last.message) : "";
    if (module.empty()) return std::nullopt;
    return core::Diagnosis{last.ToText(), ModuleAdvice(module, failure)};
  }
  // `python -m name` prints only one line, without a traceback.
  for (const std::string_view line : failure.LastErrLines(1)) {
    const std::string module = ModuleIn(line);
    if (!module.empty()) return core::Diagnosis{std::string(Trim(line)), ModuleAdvice(module, failure)};
  }
  return std::nullopt;
}

std::optional<core::Diagnosis> FindPythonException(const Failure& failure) {
  if (!failure.python) return std::nullopt;
  const PythonException& last = failure.python->last;
  core::Diagnosis d{failure.python->ToText(), LoaderAdvice(last.message, failure)};
  if (Contains(last.message, "CUDA out of memory")) {
    d.advice = "process less data at a time (a smaller batch), or use more GPUs";
  } else if (MentionsOutOfMemory(last.type) || MentionsOutOfMemory(last.message)) {
    d.advice = MemoryAdvice(failure.evidence);
  } else if (d.advice.empty()) {
    d.advice = ExceptionAdvice(last, failure.evidence);
  }
  return d;
}

// Finds "terminate called after throwing an instance of 'std::runtime_error'", followed by a line "  what():  boom".
std::optional<core::Diagnosis> FindCppException(const Failure& failure) {
  constexpr std::string_view kThrew = "terminate called after throwing an instance of '", kWhat = "what():";
  constexpr size_t kRecent = 10;
  const auto lines = failure.LastErrLines(kRecent);
  for (size_t i = lines.size(); i-- > 0;) {
    const size_t at = lines[i].find(kThrew);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = lines[i].substr(at + kThrew.size());
    std::string cause = "uncaught C++ exception " + std::string(rest.substr(0, rest.find('\'')));
    if (i + 1 < lines.size()) {
      const size_t what = lines[i + 1].find(kWhat);
      if (what != std::string_view::npos) cause += ": " + std::string(Trim(lines[i + 1].substr(what + kWhat.size())));
    }
    return core::Diagnosis{cause, MentionsOutOfMemory(cause) ? MemoryAdvice(failure.evidence) : ""};
  }
  return std::nullopt;
}

std::optional<core::Diagnosis> QuoteLastOutput(const Failure& failure) {
  std::string cause;
  if (failure.signal && !failure.evidence.exit.signal) {
    cause = "its shell reports that a child was killed by " + ToText(ExitStatus{.signal = failure.signal});
  }
  const std::string err = JoinLast(failure.err), out = JoinLast(failure.out);
  const std::string words = !err.empty() ? "stderr ends with: " + err : !out.empty() ? "stdout ends with: " + out : "";
  if (!words.empty()) cause += (cause.empty() ? "" : "; ") + words;
  if (cause.empty()) return std::nullopt;
  return core::Diagnosis{cause, MentionsOutOfMemory(err) ? MemoryAdvice(failure.evidence) : ""};
}

}  // namespace howdah::diagnosis
