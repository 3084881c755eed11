// Commands that could not be started: not found, not executable, or not loadable.
#include <algorithm>

#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // the exit codes of every shell

enum class Trouble { kMissing, kNoInterpreter, kNotPermitted, kWrongFormat, kDirectory };

struct Ending {
  std::string_view text;
  Trouble trouble;
};
// The endings of error lines of bash, dash, env, timeout and nohup. Each ending comes before all endings that are its
// suffixes.
constexpr Ending kEndings[] = {{": bad interpreter: No such file or directory", Trouble::kNoInterpreter},
                               {": cannot execute: required file not found", Trouble::kNoInterpreter},
                               {": cannot execute binary file: Exec format error", Trouble::kWrongFormat},
                               {": Exec format error", Trouble::kWrongFormat},
                               {": cannot execute: Permission denied", Trouble::kNotPermitted},
                               {": Permission denied", Trouble::kNotPermitted},
                               {": Is a directory", Trouble::kDirectory},
                               {": command not found", Trouble::kMissing},
                               {": not found", Trouble::kMissing},
                               {": No such file or directory", Trouble::kMissing}};

struct Refused {
  std::string name;
  Trouble trouble = Trouble::kMissing;
};

std::string Unquoted(std::string_view name) {
  for (const std::string_view quote : {"‘", "’", "'", "\""}) {
    if (name.starts_with(quote)) name.remove_prefix(quote.size());
    if (name.ends_with(quote)) name.remove_suffix(quote.size());
  }
  return std::string(name);
}

std::optional<Refused> ParseRefusal(std::string_view line) {
  for (const Ending& ending : kEndings) {
    if (!line.ends_with(ending.text)) continue;
    std::string_view head = line.substr(0, line.size() - ending.text.size());
    // In "bash: ./run: /no/such/python: bad interpreter" the program is the script before the interpreter.
    if (ending.text.starts_with(": bad")) head = head.substr(0, head.rfind(": "));
    const size_t field = head.rfind(": ");
    std::string_view name = field == head.npos ? head : head.substr(field + 2);
    // timeout and nohup quote the name.
    if (const size_t quote = name.find("‘"); quote != name.npos) name = name.substr(quote);
    if (const size_t quote = name.find('\''); quote != name.npos && name.ends_with('\'')) name = name.substr(quote);
    return Refused{Unquoted(name), ending.trouble};
  }
  return std::nullopt;
}

// Finds the program in the shell's error line. Without a shell there is no such line, and the program is argv[0].
std::optional<Refused> FindRefusal(const Failure& failure) {
  for (auto line = failure.err.rbegin(); line != failure.err.rend(); ++line) {
    if (auto refused = ParseRefusal(*line)) return refused;
  }
  const auto& argv = failure.evidence.command.argv;
  if (argv.empty() || !failure.evidence.stderr_tail.empty()) return std::nullopt;
  return Refused{argv[0], failure.evidence.exit.code == kNotFound ? Trouble::kMissing : Trouble::kNotPermitted};
}

std::string WithinDirectory(std::string name, const Evidence& evidence) {
  const std::string prefix = evidence.working_directory + "/";
  if (evidence.working_directory.empty() || !name.starts_with(prefix)) return name;
  return "./" + name.substr(prefix.size());
}

bool IsPython(std::string_view name) { return BaseName(name).starts_with("python"); }

core::Diagnosis Missing(const std::string& name, const Failure& failure) {
  const Evidence& e = failure.evidence;
  const bool is_path = Contains(name, "/");
  const std::string base(BaseName(name));
  core::Diagnosis d;
  d.cause = is_path ? "no such file: " + name + (name.starts_with("/") ? "" : " (relative to the working directory)")
                    : "command not found: " + name + " (PATH=" + e.path + ")";
  if (e.command.argv.size() == 1 && Contains(name, " ")) {
    d.cause = "command not found: " + name + " (quoted as one word; PATH=" + e.path + ")";
    d.advice = "write the words without the quotes around all of them, or run them with bash: bash -c '" + name + "'";
    return d;
  }
  if (name.starts_with("-")) {
    d.cause = "command not found: " + name;
    d.advice = "a line of the command begins with " + name + ": end the line before it with a backslash, or join them";
    return d;
  }
  const auto& files = e.directory_files;
  const auto nearest = Nearest(base, files);
  if (!is_path && std::find(files.begin(), files.end(), name) != files.end()) {
    d.cause = "command not found: " + name + ", which is in the working directory but not in PATH (" + e.path + ")";
    d.advice = "use ./" + name;
  } else if (nearest) {
    d.cause = (is_path ? "no such file: " : "command not found: ") + name +
              "; closest match in the working directory: " + *nearest + (is_path ? "" : "; PATH=" + e.path);
    d.advice = "did you mean ./" + *nearest + "?";
  } else if (IsPython(name)) {
    d.advice =
        e.python_archive ? "the archive of `python:` has no bin/" + base + "; pack it with venv-pack or conda-pack"
        : base == "python"
            ? "use python3, or set `python: {archive: ...}` to a packed environment that has its own interpreter"
            : "install Python on " + failure.Host() + ", or set `python: {archive: ...}` to a packed environment";
  } else if (const auto program = Nearest(base, {"python3", "bash", "torchrun"}); program && program != base) {
    d.advice = "did you mean " + *program + "?";
  } else if (name.starts_with("/")) {
    d.advice = "install the program on " + failure.Host() +
               ", or send it with `source:` or `files:` and use its relative path";
  } else if (is_path) {
    d.advice = "add the file to `source:` or `files:`";
  } else {
    d.advice = "check the spelling, or add the directory of the program to PATH in the job file's `env`";
  }
  return d;
}

}  // namespace

std::optional<core::Diagnosis> FindBrokenPackedPython(const Failure& failure) {
  if (!failure.evidence.broken_python) return std::nullopt;
  const BrokenPython& broken = *failure.evidence.broken_python;
  const std::string of_archive = "the archive of `python:` ";
  std::string top;
  switch (broken.fault) {
    case BrokenPython::Fault::kNoBin:
      for (const std::string& name : broken.top) top += (top.empty() ? "" : ", ") + name;
      return core::Diagnosis{
          of_archive + "has no bin/; its top directory " + (top.empty() ? "is empty" : "contains " + top),
          "pack the contents of the environment instead of its directory, as venv-pack and conda-pack do"};
    case BrokenPython::Fault::kGone:
      return core::Diagnosis{of_archive + "has no interpreter of its own: " + broken.file + " is a link to " +
                                 broken.target + ", which does not exist on " + failure.Host(),
                             "install that Python on the nodes, or use conda-pack, which packs the interpreter too"};
    case BrokenPython::Fault::kNotExecutable:
      return core::Diagnosis{broken.file + " in " + of_archive + "is not executable",
                             "pack the environment with venv-pack or conda-pack, which keep file permissions"};
  }
  return std::nullopt;
}

std::optional<core::Diagnosis> FindUnrunnableCommand(const Failure& failure) {
  const auto code = failure.evidence.exit.code;
  if (code != kNotFound && code != kNotExecutable) return std::nullopt;
  const auto refused = FindRefusal(failure);
  if (!refused) return std::nullopt;
  const std::string name = WithinDirectory(refused->name, failure.evidence);
  switch (refused->trouble) {
    case Trouble::kMissing:
      return Missing(name, failure);
    case Trouble::kNoInterpreter:
      return core::Diagnosis{
          "cannot execute " + name + ": its interpreter or loader does not exist on " + failure.Host(),
          failure.evidence.python_archive && Contains(name, "/bin/")
              ? "the archive of `python:` was built for another path; pack it with venv-pack or conda-pack"
              : "check the first line of the file (#!...): it must name a program that exists on the node, and must "
                "not end in a "
                "carriage return"};
    case Trouble::kNotPermitted:
      return core::Diagnosis{"not executable: " + name,
                             "make the file executable (chmod +x), or run it with its interpreter: " +
                                 std::string(name.ends_with(".py") ? "python3 " : "bash ") + name};
    case Trouble::kWrongFormat:
      return core::Diagnosis{"not executable: " + name + " is not a program for this machine and has no #! line",
                             "build the program for the node's processor, or begin the script with a #! line"};
    case Trouble::kDirectory:
      return core::Diagnosis{"not executable: " + name + " is a directory", ""};
  }
  return std::nullopt;
}

// Recognises "python3: can't open file '/job/trian.py': [Errno 2] No such file or directory".
std::optional<core::Diagnosis> FindMissingScript(const Failure& failure) {
  constexpr std::string_view kCannotOpen = ": can't open file '";
  for (const std::string_view line : failure.LastErrLines(3)) {
    const size_t at = line.find(kCannotOpen);
    if (at == line.npos) continue;
    std::string_view file = line.substr(at + kCannotOpen.size());
    file = file.substr(0, file.find('\''));
    const std::string shown = WithinDirectory(std::string(file), failure.evidence);
    core::Diagnosis d{std::string(line.substr(0, at)) + " cannot open " + shown + ": no such file", ""};
    const auto nearest = Nearest(BaseName(file), failure.evidence.directory_files);
    if (nearest) d.cause += "; closest match in the working directory: " + *nearest;
    d.advice = nearest ? "did you mean " + *nearest + "?" : "add the file to `source:` or `files:`";
    return d;
  }
  return std::nullopt;
}

std::string LoaderAdvice(std::string_view message, const Failure& failure) {
  if (Contains(message, "version `GLIBC")) {
    return "the program or library was built for a newer C library than the one on " + failure.Host() +
           "; build or pack it on a system as old as the nodes";
  }
  if (Contains(message, "cannot open shared object file")) {
    return failure.evidence.python_archive ? "add the package with the library to the environment packed in `python:`"
                                           : "install the library on " + failure.Host() +
                                                 ", or set `python: {archive: ...}` to an environment that has it";
  }
  return "";
}

std::optional<core::Diagnosis> FindLoaderError(const Failure& failure) {
  constexpr size_t kRecent = 5;
  const auto lines = failure.LastErrLines(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!Contains(*line, "error while loading shared libraries") && !Contains(*line, "version `GLIBC")) continue;
    return core::Diagnosis{"dynamic loader: " + std::string(Trim(*line)), LoaderAdvice(*line, failure)};
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
