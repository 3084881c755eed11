#include "howdah/cli/args/completion_script.h"

#include <functional>

namespace howdah::cli::args {
namespace {

using CommandHelp = Grammar::CommandHelp;

constexpr const char kListIds[] = "howdah list --all 2>/dev/null | awk 'NR > 1 { print $1 }'";

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string Names(const std::vector<CommandHelp>& commands) {
  std::string out;
  for (const auto& command : commands) out += (out.empty() ? "" : " ") + command.name;
  return out;
}

std::string FlagNames(const CommandHelp& command, bool only_with_value) {
  std::string out;
  for (const auto& flag : command.flags) {
    if (flag.takes_value || !only_with_value) out += (out.empty() ? "" : " ") + flag.name;
  }
  return out;
}

// A line for the command and for each of its actions. name: with the name of its command: "history list".
std::string BashGrammar(const CommandHelp& command, const std::string& name) {
  std::string out = "    " + Quoted(name) + ") flags=" + Quoted(FlagNames(command, false)) +
                    " values=" + Quoted(FlagNames(command, true)) + " actions=" + Quoted(Names(command.actions)) +
                    " ids=" + std::to_string(command.ids) + " ;;\n";
  for (const auto& action : command.actions) {
    out += BashGrammar(action, name + (name.empty() ? "" : " ") + action.name);
  }
  return out;
}

// Reads the words before the cursor. bash divides `--on=local` into three words.
constexpr const char kBashTake[] = R"(_howdah_take() {
  if [[ $1 == = ]]; then
    return 0
  elif [[ -n $waiting ]]; then
    if [[ $waiting == --on ]]; then on=$1; fi
    waiting=
  elif [[ $1 == -- ]]; then
    only_files=1
  elif [[ $1 == -* ]]; then
    if [[ " $values " == *" $1 "* ]]; then waiting=$1; fi
  elif [[ " $actions " == *" $1 "* ]]; then
    command=${command:+$command }$1
    _howdah_grammar "$command"
  else
    place=$((place + 1))
  fi
}
)";

constexpr const char kBashComplete[] = R"bash(_howdah() {
  local word=${COMP_WORDS[COMP_CWORD]} command= on= waiting= only_files= place=0 words= i
  local flags= values= actions= ids=0
  _howdah_grammar ''
  for ((i = 1; i < COMP_CWORD; i++)); do _howdah_take "${COMP_WORDS[i]}"; done
  if [[ $word == = ]]; then word=; fi
  if [[ $waiting == --on ]]; then
    words='local yarn'
  elif [[ -n $waiting || -n $only_files ]]; then
    words=
  elif [[ $word == -* ]]; then
    words=$flags
  elif [[ -n $actions && $place -eq 0 ]]; then
    words=$actions
  elif [[ $place -lt $ids ]]; then
    words="last $(HOWDAH_ON=${on:-${HOWDAH_ON-}} LIST_IDS)"
  elif [[ $command == completion ]]; then
    words='bash zsh fish'
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _howdah howdah
)bash";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Escapes the colons in the help text, because zsh expects a colon between the name of a command and its help.
std::string ZshItem(const std::string& name, const std::string& help) {
  std::string text = name + ":" + help;
  for (size_t at = text.find(':', name.size() + 1); at != std::string::npos; at = text.find(':', at + 2)) {
    text.insert(at, "\\");
  }
  return Quoted(text);
}

template <typename Items>
std::string ZshItems(const Items& items) {
  std::string out = "items=(";
  for (const auto& item : items) out += " " + ZshItem(item.name, item.help);
  return out + ")";
}

// A pattern for the second and the third word. name: as in BashGrammar.
std::string ZshPattern(const std::string& name) {
  return name.find(' ') == std::string::npos ? Quoted(name + " ") + "*" : Quoted(name);
}

using OnCommand = std::function<void(const CommandHelp& command, const std::string& name)>;

// Calls on_command for every action and then for its command. name: as in BashGrammar.
void ForEach(const CommandHelp& program, const OnCommand& on_command) {
  for (const auto& command : program.actions) {
    for (const auto& action : command.actions) on_command(action, command.name + " " + action.name);
    on_command(command, command.name);
  }
}

}  // namespace

std::string BashScript(const CommandHelp& program) {
  return "_howdah_grammar() {\n  case $1 in\n" + BashGrammar(program, "") + "  esac\n}\n" + kBashTake +
         Replaced(kBashComplete, "LIST_IDS", kListIds);
}

std::string ZshScript(const CommandHelp& program) {
  std::string actions, flags, ids;
  ForEach(program, [&](const CommandHelp& command, const std::string& name) {
    const bool is_action = name != command.name;
    if (!command.actions.empty()) {
      actions += "      " + name + ") " + ZshItems(command.actions) + "; _describe action items; return ;;\n";
    }
    flags += "      " + ZshPattern(name) + ") " + ZshItems(command.flags) + " ;;\n";
    if (command.ids == 0) return;
    ids += "    " + ZshPattern(name) + ") if (( CURRENT == " + (is_action ? "4" : "3") + " )); then compadd last $(" +
           kListIds + "); else _files; fi ;;\n";
  });
  return "#compdef howdah\n_howdah() {\n  local -a items\n  if (( CURRENT == 2 )); then\n    " +
         ZshItems(program.actions) +
         "\n    _describe command items\n    return\n  fi\n"
         "  if [[ $words[CURRENT] == -* ]]; then\n    case \"$words[2] $words[3]\" in\n" +
         flags +
         "    esac\n    _describe flag items\n    return\n  fi\n"
         "  if (( CURRENT == 3 )); then\n    case $words[2] in\n" +
         actions + "    esac\n  fi\n  case \"$words[2] $words[3]\" in\n" + ids +
         "    'completion '*) compadd bash zsh fish ;;\n"
         "    *) _files ;;\n"
         "  esac\n}\n"
         "compdef _howdah howdah\n";
}

std::string FishScript(const CommandHelp& program) {
  const std::string begin = "complete -c howdah ", seen = "__fish_seen_subcommand_from ";
  std::string out;
  for (const auto& command : program.actions) {
    out += begin + "-f -n __fish_use_subcommand -a " + command.name + " -d " + Quoted(command.help) + "\n";
  }
  ForEach(program, [&](const CommandHelp& command, const std::string& name) {
    const std::string condition = "-n " + Quoted(seen + Replaced(name, " ", "; and " + seen)) + " ";
    for (const auto& flag : command.flags) {
      out += begin + condition + "-l " + flag.name.substr(2) + (flag.takes_value ? " -r" : "") + " -d " +
             Quoted(flag.help) + "\n";
    }
    for (const auto& action : command.actions) {
      out += begin + "-f " + condition + "-a " + action.name + " -d " + Quoted(action.help) + "\n";
    }
    if (command.ids == 0) return;
    out += begin + "-f " + condition + "-a \"last (" + Replaced(kListIds, "$", "\\$") + ")\"\n";
  });
  return out + begin + "-f -n '" + seen + "completion' -a 'bash zsh fish'\n";
}

}  // namespace howdah::cli::args
