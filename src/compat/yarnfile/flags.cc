#include "howdah/compat/yarnfile/flags.h"

#include <algorithm>
#include <string_view>

#include "howdah/base/number.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

struct ActionFlag {
  std::string_view name;
  Action action;
  std::vector<std::string_view> words;  // placeholders of the words that follow
  std::string_view help;
};

const std::vector<ActionFlag>& ActionFlags() {
  static const std::vector<ActionFlag> flags = {
      {"launch", Action::kLaunch, {"NAME", "FILE"}, "Save the service of a Yarnfile, start it and print the job's id"},
      {"save", Action::kSave, {"NAME", "FILE"}, "Save the service of a Yarnfile without starting it"},
      {"start", Action::kStart, {"NAME"}, "Start a saved or stopped service and print the job's id"},
      {"stop", Action::kStop, {"NAME"}, "Stop a service, and wait until its processes have ended"},
      {"destroy", Action::kDestroy, {"NAME"}, "Stop a service and remove what was saved"},
      {"status", Action::kStatus, {"NAME"}, "Print the state of a service and its quick links"},
      {"flex", Action::kFlex, {"NAME"}, "Change the number of containers of components: -component C N"},
      {"list", Action::kList, {}, "List the saved services"},
      {"keys", Action::kKeys, {}, "Print the translation of each key of Yarnfiles (Markdown)"},
      {"help", Action::kHelp, {}, "Print this help"},
  };
  return flags;
}

struct Option {
  std::string_view name;
  std::vector<std::string_view> words;
  std::string_view help;
};

const std::vector<Option>& Options() {
  static const std::vector<Option> options = {
      {"component", {"C", "N"}, "With -flex: the component and its new number of containers; may be repeated"},
      {"updateQueue", {"QUEUE"}, "With -launch and -save: the queue, instead of the file's"},
      {"updateLifetime", {"SECONDS"}, "With -launch and -save: the lifetime, instead of the file's"},
      {"max", {"C=N"}, "With -launch and -save: the largest number of containers of a component, for -flex"},
      {"appTypes", {"TYPE"}, "Accepted and ignored"},
      {"on", {"BACKEND"}, "yarn or local; default: yarn, or where the service ran before"},
      {"print-job", {}, "Print the equivalent job file, without starting or saving"},
      {"plan", {}, "Show what would run, and the keys without effect, without starting or saving"},
      {"json", {}, "Print the plan or the status as JSON"},
  };
  return options;
}

// Flags of `yarn app` that Howdah refuses, and the remedy.
std::string_view RefusedFlag(std::string_view name) {
  if (name == "upgrade" || name == "initiate" || name == "express" || name == "finalize" || name == "cancel" ||
      name == "instances" || name == "components" || name == "autoFinalize") {
    return "Howdah upgrades no service; change the file, then `-destroy` and `-launch` it";
  }
  if (name == "decommission") return "use `-flex NAME -component C N`";
  if (name == "enableFastLaunch") return "Howdah needs no archive of the service framework; leave it out";
  if (name == "kill") return "use `-stop NAME`, or `howdah kill`";
  if (name == "movetoqueue" || name == "changeQueue") return "use `howdah queue move`";
  if (name == "updatePriority") return "use `howdah queue priority`";
  return "";
}

Error WrongUsage(std::string text) { return {ErrorCode::kUsage, "yarn-app: " + std::move(text)}; }

// The name of a flag, without its dashes; "" if the word is not a flag.
std::string FlagName(const std::string& word) {
  const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  return dashes == 0 || dashes > 2 || dashes == word.size() ? "" : word.substr(dashes);
}

std::optional<int> Whole(const std::string& text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

Error UnknownFlag(const std::string& word, const std::string& name) {
  if (const std::string_view remedy = RefusedFlag(name); !remedy.empty()) {
    return WrongUsage(word + " is not available: " + std::string(remedy));
  }
  std::vector<std::string_view> names;
  for (const ActionFlag& flag : ActionFlags()) names.push_back(flag.name);
  for (const Option& option : Options()) names.push_back(option.name);
  const std::string nearest(keyfile::Nearest(name, names));
  if (name.empty() || nearest.empty()) {
    return WrongUsage("unexpected word " + keyfile::Quoted(word) + "; see `howdah yarn-app -help`");
  }
  return WrongUsage("unknown flag " + keyfile::Quoted(word) + "; did you mean -" + nearest + "?");
}

Status SetOption(Flags& flags, std::string_view name, const std::vector<std::string>& words) {
  if (name == "component") {
    const std::optional<int> number = Whole(words[1]);
    if (!number) return WrongUsage("-component " + words[0] + ": " + keyfile::Quoted(words[1]) + " is not a number");
    flags.components.emplace_back(words[0], *number);
  } else if (name == "updateQueue") {
    flags.queue = words[0];
  } else if (name == "updateLifetime") {
    const std::optional<int> seconds = Whole(words[0]);
    if (!seconds || *seconds == 0) return WrongUsage("-updateLifetime: write seconds, for example 3600");
    flags.lifetime = std::chrono::seconds(*seconds);
  } else if (name == "max") {
    const size_t equals = words[0].find('=');
    const std::optional<int> most = equals == std::string::npos ? std::nullopt : Whole(words[0].substr(equals + 1));
    if (equals == 0 || most.value_or(0) == 0) return WrongUsage("-max: write COMPONENT=N, for example web=8");
    flags.maxima.emplace_back(words[0].substr(0, equals), *most);
  } else if (name == "on") {
    flags.on = words[0];
  } else if (name == "print-job") {
    flags.print_job = true;
  } else if (name == "plan") {
    flags.plan = true;
  } else if (name == "json") {
    flags.json = true;
  }
  return {};
}

// Takes the words after the flag at `at`, and moves `at` to the last of them.
Result<std::vector<std::string>> TakeWords(const std::vector<std::string>& words, size_t& at, size_t count,
                                           const std::vector<std::string_view>& placeholders) {
  std::vector<std::string> taken;
  while (taken.size() < count) {
    if (at + 1 >= words.size() || !FlagName(words[at + 1]).empty()) {
      std::string usage = words[at - taken.size()];
      for (const std::string_view placeholder : placeholders) usage += " " + std::string(placeholder);
      return WrongUsage("incomplete flag; write " + usage);
    }
    taken.push_back(words[++at]);
  }
  return taken;
}

Status CheckCombination(const Flags& flags) {
  const bool reads_file = flags.action == Action::kLaunch || flags.action == Action::kSave;
  if (!reads_file &&
      (flags.print_job || flags.plan || !flags.queue.empty() || flags.lifetime || !flags.maxima.empty())) {
    return WrongUsage("-print-job, -plan, -max, -updateQueue and -updateLifetime belong to -launch and -save");
  }
  if ((flags.action == Action::kFlex) == flags.components.empty()) {
    return WrongUsage(flags.components.empty() ? "-flex: write -component C N, for example -component web 3"
                                               : "-component belongs to -flex");
  }
  return {};
}

}  // namespace

Result<Flags> ParseFlags(const std::vector<std::string>& words) {
  Flags flags;
  const ActionFlag* chosen = nullptr;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string word = words[at], name = at == 0 && FlagName(word).empty() ? word : FlagName(word);
    const auto action = std::find_if(ActionFlags().begin(), ActionFlags().end(),
                                     [&](const ActionFlag& flag) { return flag.name == name; });
    if (action != ActionFlags().end()) {
      if (chosen != nullptr) {
        return WrongUsage("write only one of -" + std::string(chosen->name) + " and -" + std::string(action->name));
      }
      chosen = &*action;
      HOWDAH_TRY(const auto taken, TakeWords(words, at, action->words.size(), action->words));
      flags.action = action->action;
      if (!taken.empty()) flags.name = taken[0];
      if (taken.size() > 1) flags.file = taken[1];
      continue;
    }
    const auto option =
        std::find_if(Options().begin(), Options().end(), [&](const Option& known) { return known.name == name; });
    if (FlagName(word).empty() || option == Options().end()) return UnknownFlag(word, FlagName(word));
    HOWDAH_TRY(const auto taken, TakeWords(words, at, option->words.size(), option->words));
    HOWDAH_TRY_STATUS(SetOption(flags, name, taken));
  }
  if (chosen == nullptr && !words.empty()) return WrongUsage("write an action, for example -launch NAME FILE");
  HOWDAH_TRY_STATUS(CheckCombination(flags));
  return flags;
}

std::string FlagsHelp() {
  std::string text =
      "Run a service of a Yarnfile (Hadoop's YARN services), translated into a job file\n\n"
      "Usage: howdah yarn-app ACTION [FLAGS]\n\nActions:\n";
  const auto line = [](std::string_view name, const std::vector<std::string_view>& words, std::string_view help) {
    constexpr size_t kColumn = 28;
    std::string left = "  -" + std::string(name);
    for (const std::string_view word : words) left += " " + std::string(word);
    left.resize(std::max(left.size() + 1, kColumn), ' ');
    return left + std::string(help) + "\n";
  };
  for (const ActionFlag& flag : ActionFlags()) text += line(flag.name, flag.words, flag.help);
  text += "\nFlags:\n";
  for (const Option& option : Options()) text += line(option.name, option.words, option.help);
  return text;
}

}  // namespace howdah::compat::yarnfile
