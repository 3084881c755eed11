#include "constants.h"

#include <algorithm>
#include <optional>

#include "howdah/base/number.h"
#include "howdah/base/text.h"

namespace howdah::compat::yarnfile {
namespace {

constexpr std::string_view kInstanceConstant = "${COMPONENT_INSTANCE_NAME}";
constexpr std::string_view kRegistryEnding = ".${SERVICE_NAME}.${USER}.${DOMAIN}";
constexpr size_t kLongestName = 300;  // of a constant or variable
constexpr std::string_view kHostOf = "HOST_OF_";
constexpr char kHostOfSelf[] = "HOST_OF_SELF_";  // no task's variable ends so

// The constants for which Howdah has no value.
bool IsUnknown(std::string_view name) {
  return name == "CLUSTER_ZK_QUORUM" || name == "CLUSTER_FS_URI" || name == "CLUSTER_FS_HOST" ||
         name == "SERVICE_ZK_PATH" || name == "SERVICE_HDFS_DIR" || name == "DOMAIN";
}

// The number at the end of the name of an instance: 0 in "web-0". Returns nullopt if the text is not such a number.
std::optional<int> IndexOf(std::string_view text) {
  const auto index = ParseNumber<int>(text);
  return index && *index >= 0 && std::to_string(*index) == text ? index : std::nullopt;
}

std::string UpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

// YARN makes the user's name a part of host names: lower case, and '-' for '_'.
std::string RegistryUser(std::string_view user) {
  std::string text = LowerCase(user);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

// The variable for the host of a task is HOST_OF_, the role in upper case with '_' for '-', and the index.
std::string HostVariable(const std::string& component, int index) {
  std::string name = UpperCase(component);
  std::replace(name.begin(), name.end(), '-', '_');
  return std::string(kHostOf) + name + "_" + std::to_string(index);
}

// The role and the index of a host variable, without HOST_OF_.
std::pair<std::string, int> TaskOf(std::string_view variable) {
  const size_t cut = std::min(variable.rfind('_'), variable.size());
  std::string role = LowerCase(variable.substr(0, cut));
  std::replace(role.begin(), role.end(), '_', '-');
  return {std::move(role), cut < variable.size() ? IndexOf(variable.substr(cut + 1)).value_or(0) : 0};
}

// The part of the text after the last character that a component's name cannot have.
std::string_view NameAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && (text[begin - 1] == '-' || (text[begin - 1] >= '0' && text[begin - 1] <= '9') ||
                       (text[begin - 1] >= 'a' && text[begin - 1] <= 'z'))) {
    --begin;
  }
  return text.substr(begin);
}

void Append(Filled& filled, std::string_view text) {
  if (text.empty()) return;
  if (filled.pieces.empty() || filled.pieces.back().variable) filled.pieces.push_back({});
  filled.pieces.back().text += text;
}

void AppendVariable(Filled& filled, std::string name) { filled.pieces.push_back({std::move(name), true}); }

// Removes the last bytes of the text, which must be fixed.
void RemoveEnd(Filled& filled, size_t bytes) {
  std::string& text = filled.pieces.back().text;
  text.resize(text.size() - bytes);
  if (text.empty()) filled.pieces.pop_back();
}

}  // namespace

bool Filled::Fixed() const {
  return std::none_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.variable; });
}

std::string Filled::ToText() const {
  std::string text;
  for (const Piece& piece : pieces) text += piece.variable ? "${" + piece.text + "}" : piece.text;
  return text;
}

const std::vector<std::string>& TaskConstants() {
  static const std::vector<std::string> names = {"COMPONENT_ID", "COMPONENT_INSTANCE_NAME", "CONTAINER_ID"};
  return names;
}

Constants::Constants(std::string service, std::string user, std::map<std::string, int, std::less<>> components)
    : service_(std::move(service)), user_(RegistryUser(user)), components_(std::move(components)) {}

bool Constants::IsHost(std::string_view variable) { return variable.starts_with(kHostOf); }

bool Constants::IsSelf(std::string_view variable) { return variable == kHostOfSelf; }

std::map<std::string, std::string, std::less<>> Constants::Fixed(const std::string& component) const {
  return {{"SERVICE_NAME", service_},    {"SERVICE_NAME.lc", LowerCase(service_)},   {"USER", user_}, {"DOMAIN", ""},
          {"COMPONENT_NAME", component}, {"COMPONENT_NAME.lc", LowerCase(component)}};
}

std::string Constants::HostOf(std::string_view instance) const {
  const size_t dash = instance.rfind('-');
  if (dash == instance.npos) return "";
  const auto component = components_.find(instance.substr(0, dash));
  const std::optional<int> index = IndexOf(instance.substr(dash + 1));
  if (component == components_.end() || !index || *index >= component->second) return "";
  return HostVariable(component->first, *index);
}

std::string Constants::VariableOf(std::string_view name) const {
  const auto& plain = TaskConstants();
  if (std::find(plain.begin(), plain.end(), name) != plain.end()) return std::string(name);
  for (const std::string_view ending : {"_HOST", "_IP"}) {
    if (name.ends_with(ending)) return HostOf(LowerCase(name.substr(0, name.size() - ending.size())));
  }
  return "";
}

Filled Constants::Fill(std::string_view text, const std::string& component, const std::set<std::string>& environment,
                       std::set<std::string>& unknown) const {
  const auto fixed = Fixed(component);
  Filled filled;
  while (!text.empty()) {
    const size_t begin = std::min(text.find('$'), text.size());
    Append(filled, text.substr(0, begin));
    text.remove_prefix(begin);
    if (text.empty()) break;
    if (text.starts_with(kInstanceConstant) && text.substr(kInstanceConstant.size()).starts_with(kRegistryEnding)) {
      AppendVariable(filled, kHostOfSelf);
      text.remove_prefix(kInstanceConstant.size() + kRegistryEnding.size());
      continue;
    }
    const bool fixed_before = !filled.pieces.empty() && !filled.pieces.back().variable;
    const std::string_view before = fixed_before ? std::string_view(filled.pieces.back().text) : std::string_view();
    if (before.ends_with('.') && text.starts_with(kRegistryEnding.substr(1))) {
      const std::string_view instance = NameAtEnd(before.substr(0, before.size() - 1));
      if (const std::string host = HostOf(instance); !host.empty()) {
        RemoveEnd(filled, instance.size() + 1);  // ends the life of `instance`
        AppendVariable(filled, host);
        text.remove_prefix(kRegistryEnding.size() - 1);
        continue;
      }
    }
    const size_t end = text.starts_with("${") ? text.substr(0, kLongestName).find('}') : text.npos;
    if (end == text.npos) {
      Append(filled, text.substr(0, 1));
      text.remove_prefix(1);
      continue;
    }
    const std::string name(text.substr(2, end - 2));
    const std::string variable = VariableOf(name);
    if (IsUnknown(name)) unknown.insert(name);
    if (const auto value = fixed.find(name); value != fixed.end()) {
      Append(filled, value->second);
    } else if (!variable.empty() || environment.contains(name)) {
      AppendVariable(filled, variable.empty() ? name : variable);
    } else {
      Append(filled, text.substr(0, end + 1));
    }
    text.remove_prefix(end + 1);
  }
  return filled;
}

std::string Constants::Definition(const std::string& variable) {
  if (variable == "COMPONENT_ID") return "export COMPONENT_ID=$HOWDAH_TASK_INDEX\n";
  if (variable == "COMPONENT_INSTANCE_NAME") return "export COMPONENT_INSTANCE_NAME=$HOWDAH_ROLE-$HOWDAH_TASK_INDEX\n";
  if (variable == "CONTAINER_ID") {
    return "export CONTAINER_ID=${CONTAINER_ID:-$HOWDAH_JOB_ID-$HOWDAH_ROLE-$HOWDAH_TASK_INDEX}\n";
  }
  if (!IsHost(variable)) return "";
  const auto [role, index] = TaskOf(std::string_view(variable).substr(kHostOf.size()));
  const std::string task =
      variable == kHostOfSelf ? "$HOWDAH_ROLE $HOWDAH_TASK_INDEX" : role + " " + std::to_string(index);
  return variable + "=$(host_of " + task + ")\n";
}

std::string Constants::HostReference(const std::string& component, int index) {
  return "${" + HostVariable(component, index) + "}";
}

std::string Constants::Link(const std::string& text,
                            const std::function<std::string(const std::string& role, int index)>& host) {
  const std::string begin_of_variable = "${" + std::string(kHostOf);
  std::string link;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = std::min(text.find(begin_of_variable, at), text.size());
    link += text.substr(at, begin - at);
    const size_t end = begin == text.size() ? text.npos : text.find('}', begin);
    if (end == text.npos) return link + text.substr(begin);
    const size_t name = begin + begin_of_variable.size();
    const auto [role, index] = TaskOf(std::string_view(text).substr(name, end - name));
    link += host(role, index);
    at = end + 1;
  }
  return link;
}

std::string_view HostFunction() {
  return R"bash(host_of() {  # host_of ROLE INDEX: prints the host of a task, if it is known
  local list=${HOWDAH_CLUSTER#*"\"$1\":["} index=$2
  [ "$list" != "$HOWDAH_CLUSTER" ] || return 0
  list=${list%%"\"]"*}
  while [ "$index" -gt 0 ]; do list=${list#*,} index=$((index - 1)); done
  list=${list%%,*} list=${list//[\"\[\]]/}
  printf %s "${list%:*}"
}
)bash";
}

std::string_view FillFunction() {
  return R"bash(fill() {  # fill FROM TO: copies a text and replaces the constants of the service
  local text name
  text=$(cat "$1" && printf .)
  text=${text%.}
  for name in "${!constants[@]}"; do text=${text//"\${$name}"/"${constants[$name]}"}; done
  while [[ $text =~ \$\{([A-Z0-9-]+)-([0-9]+)_(HOST|IP)\} ]]; do
    text=${text//"${BASH_REMATCH[0]}"/"$(host_of "${BASH_REMATCH[1],,}" "${BASH_REMATCH[2]}")"}
  done
  printf %s "$text" > "$2"
}
)bash";
}

std::string ShellWord(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string ShellText(const Filled& filled) {
  std::string text = "\"";
  for (const Filled::Piece& piece : filled.pieces) {
    if (piece.variable) {
      text += "${" + piece.text + "}";
      continue;
    }
    for (const char c : piece.text) {
      if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
      text += c;
    }
  }
  return text + "\"";
}

std::string ShellScript(const Filled& filled) {
  std::string script;
  char quote = 0;  // the open quote, ' or "
  for (const Filled::Piece& piece : filled.pieces) {
    if (piece.variable) {
      const std::string variable = "${" + piece.text + "}";
      script += quote == '\'' ? "'\"" + variable + "\"'" : variable;
      continue;
    }
    for (size_t i = 0; i < piece.text.size(); ++i) {
      const char c = piece.text[i];
      script += c;
      if (c == '\\' && quote != '\'' && i + 1 < piece.text.size()) {
        script += piece.text[++i];
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
  }
  return script;
}

}  // namespace howdah::compat::yarnfile
