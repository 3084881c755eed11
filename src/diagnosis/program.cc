// Programs that ran and failed: out of memory, exceptions, and the last lines of whatever else.
#include <algorithm>

#include "howdah/base/bytes.h"
#include "howdah/base/exit_status.h"
#include "kernel.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr int kKill = 9;

std::string Against(const Evidence& e) {
  if (e.memory_peak_bytes == 0 || e.memory_asked_bytes == 0) return "";
  return FormatBytes(e.memory_peak_bytes) + " of the " + FormatBytes(e.memory_asked_bytes) + " asked for";
}

bool SaysOutOfMemory(std::string_view text) {
  for (const std::string_view phrase :
       {"MemoryError", "can't allocate memory", "Cannot allocate memory", "bad_alloc"}) {
    if (Contains(text, phrase)) return true;
  }
  return false;
}

std::string MemoryAdvice(const Evidence& e) {
  const std::string used = Against(e);
  return "raise the role's `memory`, or work on less at a time" + (used.empty() ? "" : "; it had used " + used);
}

// The module of "No module named 'a.b'" or "No module named a".
std::string ModuleIn(std::string_view text) {
  constexpr std::string_view kStart = "No module named ";
  const size_t at = text.find(kStart);
  if (at == text.npos) return "";
  std::string_view name = text.substr(at + kStart.size());
  if (name.starts_with('\'')) name.remove_prefix(1);
  return std::string(name.substr(0, name.find_first_of("'\" );,")));
}

std::string ModuleAdvice(const std::string& module, const Seen& seen) {
  const Evidence& e = seen.evidence;
  const std::string package = module.substr(0, module.find('.'));
  std::vector<std::string> own;  // modules in the working directory
  for (const std::string& file : e.directory_files) {
    if (file.ends_with(".py")) own.push_back(file.substr(0, file.size() - 3));
  }
  if (const auto nearest = Nearest(package, own))
    return "did you mean " + *nearest + ", which is in the working directory?";
  if (e.python_archive) return "add " + package + " to the environment that is packed in `python: {archive: ...}`";
  return "install " + package + " for the interpreter that the command names on " + seen.Host() +
         ", or set `python: {archive: ...}` to a packed environment that has it";
}

// Of what loggers print for information only, and of rules that say nothing.
bool IsNoise(std::string_view line) {
  line = Trim(line);
  const bool glog = line.size() > 5 && (line[0] == 'I' || line[0] == 'W') &&
                    std::all_of(line.begin() + 1, line.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
  return line.empty() || glog || line.starts_with("WARNING: All log messages before absl::InitializeLog()") ||
         line.starts_with("WARNING: Logging before InitGoogleLogging()") ||
         line.find_first_not_of("-=_*#^~.+| ") == line.npos;
}

// The last lines that say something, joined; empty: there are none.
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

std::optional<core::Diagnosis> KilledForMemory(const Seen& seen) {
  const Evidence& e = seen.evidence;
  if (seen.signal != kKill) return std::nullopt;
  // A shell's child, or one in a container with process ids of its own, has another number than the one that is known.
  const std::vector<OomKill> kills = OomKillsIn(e.kernel_log);
  auto kill = std::find_if(kills.rbegin(), kills.rend(), [&](const OomKill& k) { return k.pid == e.pid; });
  if (kill == kills.rend() && (e.kernel_oom || !e.exit.signal)) kill = kills.rbegin();
  if (kill == kills.rend() && !e.kernel_oom) return std::nullopt;
  const std::string used = Against(e), had = used.empty() ? "" : "; it had used " + used;
  if (kill != kills.rend() ? kill->of_cgroup : e.cgroup_full) {
    return core::Diagnosis{"its cgroup on " + seen.Host() + " had reached its limit, and the kernel killed it" + had,
                           MemoryAdvice(e)};
  }
  return core::Diagnosis{
      "the kernel of " + seen.Host() + " had no memory left and killed it: the node was full, not its container" + had,
      e.memory_peak_bytes > e.memory_asked_bytes
          ? "ask for as much as it uses, so that no more is put on a node than it holds"
          : "the node was short, not the task: ask there for less, or run fewer jobs on it at a time"};
}

std::optional<core::Diagnosis> ModuleMissing(const Seen& seen) {
  if (seen.python) {
    const PythonException& last = seen.python->last;
    const std::string module = last.type == "ModuleNotFoundError" ? ModuleIn(last.message) : "";
    if (module.empty()) return std::nullopt;
    return core::Diagnosis{last.ToText(), ModuleAdvice(module, seen)};
  }
  // `python -m name` says it in one line.
  for (const std::string_view line : seen.LastOfErr(1)) {
    const std::string module = ModuleIn(line);
    if (!module.empty()) return core::Diagnosis{std::string(Trim(line)), ModuleAdvice(module, seen)};
  }
  return std::nullopt;
}

std::optional<core::Diagnosis> PythonRaised(const Seen& seen) {
  if (!seen.python) return std::nullopt;
  const PythonException& last = seen.python->last;
  core::Diagnosis d{seen.python->ToText(), LoaderAdvice(last.message, seen)};
  if (Contains(last.message, "CUDA out of memory")) {
    d.advice = "work on less at a time (a smaller batch), or on more GPUs";
  } else if (SaysOutOfMemory(last.type) || SaysOutOfMemory(last.message)) {
    d.advice = MemoryAdvice(seen.evidence);
  }
  return d;
}

// "terminate called after throwing an instance of 'std::runtime_error'" and, on the next line, "  what():  boom".
std::optional<core::Diagnosis> CppThrew(const Seen& seen) {
  constexpr std::string_view kThrew = "terminate called after throwing an instance of '", kWhat = "what():";
  constexpr size_t kRecent = 10;
  const auto lines = seen.LastOfErr(kRecent);
  for (size_t i = lines.size(); i-- > 0;) {
    const size_t at = lines[i].find(kThrew);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = lines[i].substr(at + kThrew.size());
    std::string cause = "uncaught C++ exception " + std::string(rest.substr(0, rest.find('\'')));
    if (i + 1 < lines.size()) {
      const size_t what = lines[i + 1].find(kWhat);
      if (what != std::string_view::npos) cause += ": " + std::string(Trim(lines[i + 1].substr(what + kWhat.size())));
    }
    return core::Diagnosis{cause, SaysOutOfMemory(cause) ? MemoryAdvice(seen.evidence) : ""};
  }
  return std::nullopt;
}

std::optional<core::Diagnosis> LastWords(const Seen& seen) {
  std::string cause;
  if (seen.signal && !seen.evidence.exit.signal) {
    cause = "its shell says that signal " + std::to_string(*seen.signal) + " (" + SignalName(*seen.signal) +
            ") ended a process of it";
  }
  const std::string err = JoinLast(seen.err), out = JoinLast(seen.out);
  const std::string words = !err.empty() ? "stderr ends with: " + err : !out.empty() ? "stdout ends with: " + out : "";
  if (!words.empty()) cause += (cause.empty() ? "" : "; ") + words;
  if (cause.empty()) return std::nullopt;
  return core::Diagnosis{cause, SaysOutOfMemory(err) ? MemoryAdvice(seen.evidence) : ""};
}

}  // namespace howdah::diagnosis
