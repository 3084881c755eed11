#include "howdah/compat/tony/config/flags.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "howdah/keyfile/nearest.h"

namespace howdah::compat::tony::config {
namespace {

struct Flag {
  std::string_view name;
  std::string_view value;  // placeholder for the value in the help; empty if the flag takes no value
  std::string_view help;
  std::function<void(Flags&, std::string)> take;
};

Pair Split(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos) return {text, ""};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Splits at commas and drops empty items.
std::vector<std::string> Items(const std::string& text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

Flag Text(std::string_view name, std::string_view value, std::string Flags::*field, std::string_view help) {
  return {name, value, help, [field](Flags& flags, std::string text) { flags.*field = std::move(text); }};
}
Flag Pairs(std::string_view name, std::vector<Pair> Flags::*field, std::string_view help) {
  return {name, "NAME=VALUE", help,
          [field](Flags& flags, const std::string& text) { (flags.*field).push_back(Split(text)); }};
}
Flag Switch(std::string_view name, bool Flags::*field, std::string_view help) {
  return {name, "", help, [field](Flags& flags, const std::string&) { flags.*field = true; }};
}

const std::vector<Flag>& AllFlags() {
  using F = Flags;
  static const std::vector<Flag> flags = {
      Text("executes", "COMMAND", &F::executes,
           "Command of every task; prefixed with -python_binary_path if that is given"),
      Text("task_params", "WORDS", &F::task_params, "Arguments to append to -executes"),
      Text("src_dir", "PATH", &F::src_dir, "Directory or archive; its content becomes each task's working directory"),
      Text("python_venv", "ARCHIVE", &F::python_venv, "Archive to unpack as venv/ in the working directory"),
      Text("python_binary_path", "PATH", &F::python_binary_path,
           "Python binary; a relative path is inside the venv, if there is one"),
      Pairs("shell_env", &F::shell_env, "Environment variable of the tasks"),
      Pairs("container_env", &F::container_env, "Environment variable of the containers, and so of the tasks"),
      Pairs("conf", &F::conf, "Configuration key; docs/tony-keys.md lists the supported ones"),
      Text("conf_file", "FILE", &F::conf_file,
           "Configuration file; default: tony.xml on $CLASSPATH or in the current directory"),
      {"hdfs_classpath", "PATHS", "Accepted and ignored: containers need no jars",
       [](Flags& f, const std::string& text) {
         for (std::string& item : Items(text)) f.hdfs_classpath.push_back(std::move(item));
       }},
      Text("sidecar_tensorboard_log_dir", "DIRECTORY", &F::tensorboard_log_dir,
           "Log directory for a TensorBoard next to the job"),
      Switch("debug", &F::debug, "Accepted and ignored; `howdah tony ... -plan` shows details"),
      Switch("help", &F::help, "Print this help"),
      Text("on", "BACKEND", &F::on, "yarn or local; overrides the submitter's default"),
      Switch("print-job", &F::print_job, "Print the equivalent job file, without submitting it"),
      Switch("plan", &F::plan,
             "Show what would run, as `howdah plan`, and the keys without effect, without submitting"),
      Switch("keys", &F::keys, "Print the translation of each configuration key (Markdown)"),
      Switch("json", &F::json, "Print the result as JSON"),
      Switch("keep", &F::keep, "Keep the tasks' working directories after the job"),
  };
  return flags;
}

const Flag* Find(std::string_view name) {
  for (const Flag& flag : AllFlags()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

// A command line word that looks like a flag: the flag's name, and the value after the '='.
struct Word {
  std::string name;
  std::optional<std::string> value;
};
std::optional<Word> FlagWord(const std::string& text) {
  const size_t dashes = std::min(text.find_first_not_of('-'), text.size());
  if (dashes == 0 || dashes > 2 || dashes == text.size()) return std::nullopt;
  const Pair parts = Split(text.substr(dashes));
  const bool has_value = text.find('=') != text.npos;
  return Word{parts.first, has_value ? std::optional(parts.second) : std::nullopt};
}

// Removes enclosing quotes as commons-cli does: '"a b"' becomes a b.
std::string Unquoted(std::string text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  if (!quoted || text.find('"', 1) != text.size() - 1) return text;
  return text.substr(1, text.size() - 2);
}

std::optional<Submitter> SubmitterOf(const std::string& word) {
  const size_t dot = word.rfind('.');
  const std::string name = dot == word.npos ? word : word.substr(dot + 1);
  if (name == "ClusterSubmitter" || name == "TonyClient") return Submitter::kCluster;
  if (name == "LocalSubmitter") return Submitter::kLocal;
  if (name == "NotebookSubmitter") return Submitter::kNotebook;
  return std::nullopt;
}

Error Wrong(std::string text) { return {ErrorCode::kUsage, std::move(text)}; }

Error NoFlag(const std::string& word, const std::optional<Word>& flag, bool first) {
  const std::string ignored = " (TonY would ignore it and everything after it)";
  if (!flag) {
    return Wrong("'" + word + "' is neither a flag nor the value of one" + ignored +
                 "; put quotes around a value that contains blanks" +
                 (first ? ", or start with ClusterSubmitter, LocalSubmitter or NotebookSubmitter" : ""));
  }
  std::vector<std::string_view> names;
  for (const Flag& known : AllFlags()) names.push_back(known.name);
  const std::string_view near = keyfile::Nearest(flag->name, names);
  return Wrong(
      "unknown flag '" + word + "'" + ignored +
      (near.empty() ? "; `howdah tony -help` lists all flags" : "; did you mean '-" + std::string(near) + "'?"));
}

}  // namespace

Result<Flags> ParseFlags(const std::vector<std::string>& words) {
  Flags flags;
  size_t at = 0;
  if (const auto submitter = words.empty() ? std::nullopt : SubmitterOf(words.front())) {
    flags.submitter = *submitter;
    ++at;
  }
  for (const size_t first = at; at < words.size(); ++at) {
    const auto word = FlagWord(words[at]);
    const Flag* flag = word ? Find(word->name) : nullptr;
    if (flag == nullptr) return NoFlag(words[at], word, at == first);
    const std::string name = "-" + std::string(flag->name);
    if (flag->value.empty()) {
      if (word->value) return Wrong(name + " takes no value; remove '=" + *word->value + "'");
      flag->take(flags, "");
      continue;
    }
    if (word->value) {
      flag->take(flags, Unquoted(*word->value));
      continue;
    }
    const auto next = at + 1 < words.size() ? FlagWord(words[at + 1]) : std::nullopt;
    if (at + 1 == words.size() || (next && Find(next->name) != nullptr)) {
      return Wrong(name + " needs a value; write " + name + " " + std::string(flag->value));
    }
    flag->take(flags, Unquoted(words[++at]));
  }
  return flags;
}

std::string FlagsHelp() {
  constexpr size_t kColumn = 42;
  std::string text =
      "Runs a job of LinkedIn's TonY with TonY's flags, configuration and semantics.\nUsage: howdah tony "
      "[ClusterSubmitter|LocalSubmitter|NotebookSubmitter] FLAGS...\n\nFlags start with one dash or two. Their value "
      "follows after a blank or '='.\n\n";
  for (const Flag& flag : AllFlags()) {
    std::string left = "  -" + std::string(flag.name) + (flag.value.empty() ? "" : " ") + std::string(flag.value);
    left.resize(std::max(left.size() + 2, kColumn), ' ');
    text += left + std::string(flag.help) + "\n";
  }
  return text +
         "\nExample: howdah tony ClusterSubmitter -src_dir src -executes 'python train.py' -conf "
         "tony.worker.instances=2\nAll keys: docs/tony-keys.md; differences from TonY: docs/tony.md\n";
}

}  // namespace howdah::compat::tony::config
