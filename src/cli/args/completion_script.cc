#include "howdah/cli/args/completion_script.h"

namespace howdah::cli::args {
namespace {

// The commands with a job id as their first argument.
constexpr const char kJobCommands[] = "status|wait|logs|open|exec|tensorboard|notebook|kill|scale|renew|events";
constexpr const char kListIds[] = "howdah list --all 2>/dev/null | awk 'NR > 1 { print $1 }'";

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string Names(const std::vector<Grammar::CommandHelp>& commands) {
  std::string out;
  for (const auto& command : commands) out += (out.empty() ? "" : " ") + command.name;
  return out;
}

std::string FlagNames(const Grammar::CommandHelp& command) {
  std::string out;
  for (const auto& flag : command.flags) out += (out.empty() ? "" : " ") + flag.name;
  return out;
}

// Escapes the colons in the help text, because zsh expects a colon between the name of a command and its help.
std::string ZshItem(const std::string& name, const std::string& help) {
  std::string text = name + ":" + help;
  for (size_t at = text.find(':', name.size() + 1); at != std::string::npos; at = text.find(':', at + 2)) {
    text.insert(at, "\\");
  }
  return Quoted(text);
}

}  // namespace

std::string BashScript(const std::vector<Grammar::CommandHelp>& commands) {
  std::string out =
      "_howdah() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      Names(commands) +
      " --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case $word in\n"
      "    -*)\n"
      "      case $command in\n";
  for (const auto& command : commands) out += "        " + command.name + ") words='" + FlagNames(command) + "' ;;\n";
  out +=
      "      esac\n"
      "      COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "      return ;;\n"
      "  esac\n"
      "  case $command in\n"
      "    " +
      std::string(kJobCommands) +
      ")\n"
      "      [ \"$COMP_CWORD\" -eq 2 ] && COMPREPLY=($(compgen -W \"last $(" +
      kListIds +
      ")\" -- \"$word\")) ;;\n"
      "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n"
      "    run|submit|plan) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _howdah howdah\n";
  return out;
}

std::string ZshScript(const std::vector<Grammar::CommandHelp>& commands) {
  std::string out = "#compdef howdah\n_howdah() {\n  local -a items\n  if (( CURRENT == 2 )); then\n    items=(";
  for (const auto& command : commands) out += "\n      " + ZshItem(command.name, command.help);
  out +=
      ")\n    _describe command items\n    return\n  fi\n"
      "  if [[ $words[CURRENT] == -* ]]; then\n    case $words[2] in\n";
  for (const auto& command : commands) {
    out += "      " + command.name + ") items=(";
    for (const auto& flag : command.flags) out += " " + ZshItem(flag.name, flag.help);
    out += ") ;;\n";
  }
  out +=
      "    esac\n    _describe flag items\n    return\n  fi\n  case $words[2] in\n"
      "    " +
      std::string(kJobCommands) + ") (( CURRENT == 3 )) && compadd last $(" + kListIds +
      ") ;;\n"
      "    completion) compadd bash zsh fish ;;\n"
      "    *) _files ;;\n"
      "  esac\n}\n"
      "compdef _howdah howdah\n";
  return out;
}

std::string FishScript(const std::vector<Grammar::CommandHelp>& commands) {
  std::string out;
  const std::string begin = "complete -c howdah ";
  for (const auto& command : commands) {
    out += begin + "-f -n __fish_use_subcommand -a " + command.name + " -d " + Quoted(command.help) + "\n";
    for (const auto& flag : command.flags) {
      out += begin + "-n '__fish_seen_subcommand_from " + command.name + "' -l " + flag.name.substr(2) +
             (flag.takes_value ? " -r" : "") + " -d " + Quoted(flag.help) + "\n";
    }
  }
  std::string job_commands(kJobCommands);
  for (char& c : job_commands) c = c == '|' ? ' ' : c;
  out += begin + "-f -n '__fish_seen_subcommand_from " + job_commands + "' -a \"last (" +
         "howdah list --all 2>/dev/null | awk 'NR > 1 { print \\$1 }')\"\n";
  return out + begin + "-f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace howdah::cli::args
