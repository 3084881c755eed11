#include "howdah/compat/skeinspec/arguments.h"

#include <string_view>

#include "howdah/keyfile/nearest.h"

namespace howdah::compat::skeinspec {
namespace {

struct Flag {
  std::string_view name;
  bool Arguments::*field;
  std::string_view help;
};

constexpr Flag kFlags[] = {
    {"print-job", &Arguments::print_job, "Print the equivalent job file, without submitting it"},
    {"plan", &Arguments::plan, "Show what would run, and the keys without effect, without submitting"},
    {"json", &Arguments::json, "Print the plan as JSON"},
    {"keep", &Arguments::keep, "Keep the tasks' working directories after the job"},
};

// A command of Skein 0.8 that `howdah skein` does not have, and its replacement.
struct Replaced {
  std::string_view group, name, replacement;
};

constexpr Replaced kReplaced[] = {
    {"application", "ls", "use `howdah list`"},
    {"application", "status", "use `howdah status ID`"},
    {"application", "kill", "use `howdah kill ID`"},
    {"application", "shutdown", "use `howdah kill ID`"},
    {"application", "logs", "use `howdah logs ID`"},
    {"application", "mv", "use `howdah queue move ID QUEUE`"},
    {"application", "specification", "use `howdah skein application submit FILE --print-job`"},
    {"container", "ls", "use `howdah status ID`"},
    {"container", "kill", "use `howdah scale ID ROLE=N`, for a role with `instances: {min, max}`"},
    {"container", "scale", "use `howdah scale ID ROLE=N`, for a role with `instances: {min, max}`"},
    {"kv", "", "Howdah has no key-value store; tasks find each other in HOWDAH_CLUSTER"},
    {"driver", "", "Howdah needs no driver; submit the specification"},
    {"config", "", "Howdah needs no configuration; submit the specification"},
};

constexpr std::string_view kUsage = "write `howdah skein application submit FILE`";

Error Wrong(const std::string& text) { return Error{ErrorCode::kUsage, "skein: " + text}; }

Result<Arguments> ParseWords(Arguments arguments, const std::vector<std::string>& words) {
  if (words.empty()) return Wrong("no command; " + std::string(kUsage));
  const std::string action = words.size() > 1 ? words[1] : "";
  for (const Replaced& command : kReplaced) {
    if (command.group != words[0] || (!command.name.empty() && command.name != action)) continue;
    const std::string name = words[0] + (command.name.empty() ? "" : " " + action);
    return Wrong("'" + name + "' has another form here; " + std::string(command.replacement));
  }
  if (words[0] != "application" || action != "submit") {
    return Wrong("unknown command '" + words[0] + (action.empty() ? "" : " " + action) + "'; " + std::string(kUsage));
  }
  if (words.size() == 2) return Wrong("no specification; " + std::string(kUsage));
  if (words.size() > 3) return Wrong("'" + words[3] + "' follows the specification; remove it");
  arguments.action = Arguments::Action::kSubmit;
  arguments.file = words[2];
  return arguments;
}

Error UnknownFlag(const std::string& word, std::string_view name) {
  std::vector<std::string_view> names = {"keys", "help", "on"};
  for (const Flag& flag : kFlags) names.push_back(flag.name);
  const std::string near(keyfile::Nearest(name, names));
  return Wrong("unknown flag '" + word + "'" +
               (near.empty() ? "; `howdah skein --help` lists all flags" : "; did you mean '--" + near + "'?"));
}

}  // namespace

Result<Arguments> ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  std::vector<std::string> commands;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || word.front() != '-') {
      commands.push_back(word);
      continue;
    }
    const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
    if (name == "help" || name == "h") return Arguments();
    if (name == "keys") {
      arguments.action = Arguments::Action::kKeys;
      return arguments;
    }
    if (name.starts_with("on=")) {
      arguments.on = name.substr(3);
      continue;
    }
    if (name == "on") {
      if (at + 1 == words.size()) return Wrong("--on needs a value; write --on yarn or --on local");
      arguments.on = words[++at];
      continue;
    }
    const Flag* found = nullptr;
    for (const Flag& flag : kFlags) found = flag.name == name ? &flag : found;
    if (found == nullptr) return UnknownFlag(word, name);
    arguments.*(found->field) = true;
  }
  return ParseWords(std::move(arguments), commands);
}

std::string ArgumentsHelp() {
  constexpr size_t kColumn = 18;
  std::string text =
      "Submits an application specification of Skein, translated into a job file, and prints the job's id.\nUsage: "
      "howdah skein application submit FILE [FLAGS]\n\n";
  const auto add = [&](std::string left, std::string_view help) {
    left.resize(kColumn, ' ');
    text += "  " + left + std::string(help) + "\n";
  };
  add("--on BACKEND", "yarn or local; default: yarn");
  for (const Flag& flag : kFlags) add("--" + std::string(flag.name), flag.help);
  add("--keys", "Print the translation of each key (Markdown)");
  return text + "\nExample: howdah skein application submit spec.yaml --plan\nAll keys: docs/skein.md\n";
}

}  // namespace howdah::compat::skeinspec
