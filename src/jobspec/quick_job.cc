#include "howdah/jobspec/quick_job.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/keyfile/json_text.h"
#include "howdah/keyfile/variables.h"
#include "paths.h"
#include "script_end.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

// Derives the job's name from the command: "train" from python3 -u ./train.py, "date" from /bin/date, and "python3"
// from python3 -c CODE.
std::string NameAfter(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  std::string_view name = BaseName(command.front());
  if (name.substr(0, 6) == "python") {
    const auto script = std::find_if(command.begin() + 1, command.end(),
                                     [](const std::string& word) { return !word.empty() && word.front() != '-'; });
    const bool is_code =
        script != command.end() && std::prev(script)->starts_with("-") && std::prev(script)->ends_with("c");
    if (script != command.end() && !is_code) name = BaseName(*script);
  }
  const size_t dot = name.find_last_of('.');
  return Shorten(std::string(dot == name.npos || dot == 0 ? name : name.substr(0, dot)), kLongestJobName);
}

std::string ShellQuoted(const std::string& word) {
  constexpr std::string_view kHarmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// what: names the text in the message.
Status CheckText(const std::string& what, const std::string& text) {
  if (FindInvalidUtf8(text) == std::string::npos && text.find('\0') == std::string::npos) return {};
  return Error{ErrorCode::kUsage, what + " " + Quoted(text) + " is not valid UTF-8; pass it in a file"};
}

Status CheckWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) HOWDAH_TRY_STATUS(CheckText("the argument", word));
  return {};
}

Status CheckTexts(const QuickJob& job) {
  for (const auto& [option, text] : {std::pair("--name", &job.name),
                                     {"--framework", &job.framework},
                                     {"--memory", &job.memory},
                                     {"--source", &job.source},
                                     {"--python", &job.python_archive},
                                     {"--queue", &job.queue}}) {
    HOWDAH_TRY_STATUS(CheckText(option, *text));
  }
  for (const std::string& pattern : job.outputs) HOWDAH_TRY_STATUS(CheckText("--outputs", pattern));
  for (const auto& [name, value] : job.env) HOWDAH_TRY_STATUS(CheckText("--env", name + "=" + value));
  return CheckWords(job.command);
}

// Appends the words directly after the last word of the script. After a newline, bash would run them as a separate
// command.
Status AppendToShell(std::string& shell, const std::vector<std::string>& words) {
  const size_t last = shell.find_last_not_of(" \t\r\n");
  std::string script = shell.substr(0, last == std::string::npos ? 0 : last + 1);
  if (const std::string_view in = ScriptEndsIn(script); !in.empty()) {
    return Error::WithRemedy(ErrorCode::kUsage,
                             "the arguments after -- cannot follow the command, which ends in " + std::string(in),
                             R"(use them as "$@" in a list: [bash, -c, 'python train.py "$@"', bash])");
  }
  for (const std::string& word : words) script += " " + ShellQuoted(word);
  shell = std::move(script);
  return {};
}

}  // namespace

Result<std::string> JobFileFor(const QuickJob& job) {
  HOWDAH_TRY_STATUS(CheckTexts(job));
  const auto escaped = [](const std::string& text) { return EscapeDollars(text); };
  Json worker = {{"instances", job.workers}, {"memory", escaped(job.memory)}};
  if (job.vcores) worker["vcores"] = *job.vcores;
  if (job.gpus) worker["gpus"] = *job.gpus;
  if (job.processes) worker["processes"] = *job.processes;
  worker["command"] = job.command;
  Json file = {{"name", escaped(job.name.empty() ? NameAfter(job.command) : job.name)},
               {"framework", escaped(job.framework)}};
  if (!job.source.empty()) file["source"] = escaped(job.source);
  if (!job.python_archive.empty()) file["python"] = {{"archive", escaped(job.python_archive)}};
  if (!job.queue.empty()) file["queue"] = escaped(job.queue);
  for (const std::string& pattern : job.outputs) file["outputs"].push_back(escaped(pattern));
  file["keep_new_files"] = "1GiB";
  for (const auto& [name, value] : job.env) file["env"][name] = escaped(value);
  file["roles"] = {{"worker", std::move(worker)}};
  return JsonText(file, 2) + "\n";
}

std::string OptionOf(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
      {"roles.worker.instances", "--workers"},
      {"roles.worker.memory", "--memory"},
      {"roles.worker.vcores", "--vcores"},
      {"roles.worker.gpus", "--gpus"},
      {"roles.worker.processes", "--processes"},
      {"name", "--name"},
      {"framework", "--framework"},
      {"source", "--source"},
      {"python.archive", "--python"},
      {"queue", "--queue"},
      {"outputs", "--outputs"},
      {"env", "--env"},
  };
  for (const auto& [path, option] : kOptions) {
    const bool is_below = key.starts_with(path) && key.find_first_of(".[", path.size()) == path.size();
    if (key == path || is_below) return std::string(option);
  }
  return "";
}

Status AppendArguments(JobSpec& spec, const std::vector<std::string>& words) {
  HOWDAH_TRY_STATUS(CheckWords(words));
  if (words.empty()) return {};
  for (RoleSpec& role : spec.roles) {
    Command& command = role.command;
    if (command.argv.empty()) {
      const Status appended = AppendToShell(command.shell, words);
      if (!appended.ok()) return appended.error().While("roles." + role.name + ".command");
    } else {
      command.argv.insert(command.argv.end(), words.begin(), words.end());
    }
  }
  return {};
}

}  // namespace howdah::jobspec
