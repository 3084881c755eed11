// Translates options of appConfig.json to environment variables, and fills them into commands.
#include <algorithm>

#include "context.h"

namespace howdah::compat::slider {
namespace {

constexpr std::string_view kEnv = "env.";
constexpr std::string_view kReference = "{$conf:@//site/";
// Options of the TensorFlow package and those without effect, which are not variables.
constexpr std::string_view kNotVariables[] = {"docker.image", "hadoop.conf", "yarn.cgroup.root", "zookeeper.quorum",
                                              "slider.allowed.ports"};
constexpr std::string_view kOfTensorflow[] = {"user.scripts.entry", "user.checkpoint.prefix"};
// Directories that Slider sets unless appConfig.json does (AgentProviderService.addDefaultGlobalConfig).
constexpr std::string_view kDirectories[] = {"site.global.app_root", "site.global.app_install_dir",
                                             "site.global.app_log_dir"};

template <typename List>
bool IsIn(std::string_view name, const List& list) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::string VariableName(std::string_view name) {
  std::string variable;
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    variable += lower ? static_cast<char>(c - 'a' + 'A') : kept ? c : '_';
  }
  return !variable.empty() && variable.front() >= '0' && variable.front() <= '9' ? "_" + variable : variable;
}

// The variable for an option, or "" if the option is not a variable.
std::string VariableOf(const std::string& option, bool tensorflow) {
  if (option.starts_with(kEnv)) return option.substr(kEnv.size());
  if (!option.starts_with(kSite)) return "";
  const std::string name = option.substr(std::string_view(kSite).size());
  if (IsIn(name, kNotVariables) || (tensorflow && IsIn(name, kOfTensorflow))) return "";
  return VariableName(name);
}

void SetVariable(jobspec::EnvVars& env, const std::string& name, std::string value) {
  const auto found = std::find_if(env.begin(), env.end(), [&](const auto& variable) { return variable.first == name; });
  if (found != env.end()) {
    found->second = std::move(value);
  } else {
    env.emplace_back(name, std::move(value));
  }
}

void AddVariable(Context& context, const std::string& role, const Option& option, jobspec::EnvVars& env) {
  const std::string name = VariableOf(option.name, IsTensorflow(context));
  const Value value = Replaced(option.value, {context.application.user, context.application.name, role});
  if (!name.empty() && value.fixed()) SetVariable(env, name, value.literal);
}

std::vector<Option> OptionsOf(const Context& context, const std::string& role) {
  std::vector<Option> options = context.application.app_config.global;
  for (const ComponentOptions& component : context.application.app_config.components) {
    if (component.name != role) continue;
    for (const Option& option : component.options) SetOption(options, option);
  }
  return options;
}

// A task reserves one port, but Slider's agent allocates one for each option.
void CheckPorts(Context& context, const std::string& role) {
  const Option* first = nullptr;
  const std::vector<Option> options = OptionsOf(context, role);
  for (const Option& option : options) {
    if (ComponentOfPort(option.value) != role) continue;
    if (first != nullptr) {
      context.values.Fail(option.place, "each task of " + role + " has one reserved port, which " + first->name +
                                            " stands for; let the program choose its further ports");
    } else {
      first = &option;
    }
  }
}

std::string FillOne(Context& context, const std::string& name, const Part& part, const std::vector<Option>& options) {
  const Place& place = part.meta->place;
  context.used.insert(name);
  const Option* option = FindOption(options, name);
  if (option == nullptr) {
    if (IsIn(name, kDirectories)) return "$PWD";
    context.values.Fail(place, "the command uses " + name + ", which appConfig.json does not set; add it there");
    return "";
  }
  const Value value = Replaced(option->value, {context.application.user, context.application.name, part.name});
  if (!value.foreign.empty()) {
    context.values.Fail(place, "the command uses " + name + ", the port of " + value.foreign +
                                   ", which is different for each task; use the variable HOWDAH_HOSTS_" +
                                   VariableName(value.foreign) + " instead");
  } else if (!value.unknown.empty()) {
    context.values.Fail(option->place,
                        "contains " + value.unknown + ", which only Slider's agent replaces; write the value");
  }
  return value.shell;
}

}  // namespace

void AddEnvironment(Context& context) {
  for (const Option& option : context.application.app_config.global)
    AddVariable(context, "", option, context.result.job.env);
  for (const ComponentOptions& component : context.application.app_config.components) {
    for (jobspec::RoleSpec& role : context.result.job.roles) {
      if (role.name != component.name) continue;
      for (const Option& option : component.options) AddVariable(context, role.name, option, role.env);
    }
  }
}

std::string Start(Context& context, const std::string& role) {
  CheckPorts(context, role);
  std::string start;
  for (const Option& option : OptionsOf(context, role)) {
    const std::string name = VariableOf(option.name, IsTensorflow(context));
    if (name.empty() || (IsTensorflow(context) && !ComponentOfPort(option.value).empty())) continue;
    const Value value = Replaced(option.value, {context.application.user, context.application.name, role});
    const bool of_role = value.of_task && value.foreign.empty() && value.unknown.empty();
    if (of_role) start += "export " + name + "=" + value.quoted + "\n";
  }
  if (!context.directory.empty()) start += "cd " + ShellWord(context.directory) + " || exit 1\n";
  return start;
}

// As CustomServiceOrchestrator.finalize_exec_command: {$conf:@//site/global/port} is the option site.global.port.
std::string Filled(Context& context, const std::string& exec, const Part& part) {
  const std::vector<Option> options = OptionsOf(context, part.name);
  const Value own = Replaced(exec, {context.application.user, context.application.name, part.name});
  if (!own.foreign.empty()) {
    context.values.Fail(part.meta->place, "the command uses the port of " + own.foreign +
                                              ", which is different for each task; use the variable HOWDAH_HOSTS_" +
                                              VariableName(own.foreign) + " instead");
  }
  const std::string& text = own.shell;
  std::string filled;
  size_t at = 0;
  for (size_t open; (open = text.find(kReference, at)) != text.npos;) {
    const size_t begin = open + kReference.size();
    const size_t close = text.find('}', begin);
    if (close == text.npos) break;
    std::string name = text.substr(begin, close - begin);
    std::replace(name.begin(), name.end(), '/', '.');
    filled += text.substr(at, open - at) + FillOne(context, "site." + name, part, options);
    at = close + 1;
  }
  return filled + text.substr(at);
}

}  // namespace howdah::compat::slider
