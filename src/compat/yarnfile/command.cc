// The command, environment and files of a component's role. YARN replaces constants in all of them for each container,
// and writes the configuration files. A role has one command for all its tasks, so texts that depend on the task are
// filled by lines of bash in front of the launch command.
#include <algorithm>

#include "config_files.h"
#include "context.h"
#include "howdah/base/text.h"
#include "howdah/keyfile/variables.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

// The kernel passes at most 128 KiB as one argument of a program, and bash gets the command as one argument.
constexpr size_t kLongestScript = size_t{96} << 10;
constexpr std::string_view kLogPlaceholder = "<LOG_DIR>";  // ApplicationConstants.LOG_DIR_EXPANSION_VAR

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string WithLogDirectory(std::string text) {
  for (size_t at = text.find(kLogPlaceholder); at != text.npos; at = text.find(kLogPlaceholder, at)) {
    text.replace(at, kLogPlaceholder.size(), "$LOG_DIR");
  }
  return text;
}

// The lines of bash in front of a launch command.
class Prologue {
 public:
  // Records the variables that the text uses.
  void Use(const Filled& filled) {
    for (const Filled::Piece& piece : filled.pieces) {
      if (piece.variable) variables_.insert(piece.text);
      if (piece.text.find("WORK_DIR") != piece.text.npos) uses_work_ = true;
      if (piece.text.find("LOG_DIR") != piece.text.npos) uses_log_ = true;
    }
  }
  void UseAllConstants() { variables_.insert(TaskConstants().begin(), TaskConstants().end()); }
  void Export(const std::string& name, const std::string& value) { exports_ += "export " + name + "=" + value + "\n"; }
  void Line(const std::string& line) { lines_ += line + "\n"; }
  void SetFill(std::string constants) { constants_ = std::move(constants); }

  // The whole script. The command alone if nothing must be done before it.
  std::string Before(const std::string& command) const {
    std::string head;
    const bool hosts = !constants_.empty() || std::any_of(variables_.begin(), variables_.end(), Constants::IsHost);
    if (hosts) head += HostFunction();
    if (!constants_.empty()) head += FillFunction();
    for (const std::string& variable : variables_) head += Constants::Definition(variable);
    if (uses_work_) head += "export WORK_DIR=$PWD\n";
    if (uses_log_) {
      head += "export LOG_DIR=${LOG_DIRS%%,*}\nexport LOG_DIR=${LOG_DIR:-$PWD/logs}\nmkdir -p \"$LOG_DIR\"\n";
    }
    head += exports_ + constants_ + lines_;
    return head.empty() ? command : "set -e\n" + head + "set +e\n" + command;
  }

 private:
  std::set<std::string> variables_;
  bool uses_work_ = false, uses_log_ = false;
  std::string exports_, constants_, lines_;
};

// As YARN writes it into its launch script: in double quotes, so that bash expands variables.
std::string ExportedValue(const Filled& filled) {
  std::string text = "\"";
  for (const Filled::Piece& piece : filled.pieces) {
    if (piece.variable) text += "${" + piece.text + "}";
    if (piece.variable) continue;
    for (const char c : piece.text) {
      if (c == '"' || c == '\\' || c == '`') text += '\\';
      text += c;
    }
  }
  return text + "\"";
}

void AddEnvironment(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role,
                    Prologue& prologue) {
  for (const auto& [name, value] : owner.component.configuration.env) {
    const std::string path = owner.path + "configuration.env." + name;
    if (IsDockerSetting(name)) continue;
    if (!keyfile::IsVariableName(name)) {
      context.Fail(path, "invalid name of a variable; use letters, digits and _, not beginning with a digit");
      continue;
    }
    const Filled filled = FillText(context, path, WithLogDirectory(value), owner);
    if (filled.Fixed() && filled.ToText().find('$') == std::string::npos) {
      role.env.emplace_back(name, filled.ToText());
      continue;
    }
    prologue.Use(filled);
    prologue.Export(name, ExportedValue(filled));
  }
}

// A configuration file and its key, for messages.
struct FileAt {
  const ConfigFile& file;
  std::string path;
};

bool IsResource(ConfigType type) { return type == ConfigType::kStatic || type == ConfigType::kArchive; }

// The rules of YARN's AbstractClientProvider.validateConfigFiles.
bool CheckFile(const Context& context, const ResolvedComponent& owner, const FileAt& at) {
  const ConfigFile& file = at.file;
  if (!file.type) return false;
  const size_t before = context.result.problems.size();
  const bool reads_source =
      IsResource(*file.type) || *file.type == ConfigType::kTemplate || *file.type == ConfigType::kHadoopXml;
  if (!file.src_file.empty() && !reads_source) {
    context.Fail(at.path + "src_file", "only HADOOP_XML, TEMPLATE, STATIC and ARCHIVE read a file; write properties");
  }
  if (IsResource(*file.type)) {
    if (!file.properties.empty()) context.Fail(at.path + "properties", "STATIC and ARCHIVE have none; remove it");
    if (file.src_file.empty()) context.Fail(at.path + "src_file", "missing; write the location of the file");
  } else if (*file.type == ConfigType::kTemplate && file.src_file.empty() &&
             Find(file.properties, kContent) == nullptr) {
    context.Fail(at.path + "src_file",
                 "missing; write the location of the template, or its text as the property "
                 "'content'");
  }
  const bool absolute = file.dest_file.starts_with('/');
  if (file.dest_file.empty()) {
    context.Fail(at.path + "dest_file", "missing; write the name of the file");
  } else if (absolute && !owner.docker()) {
    context.Fail(at.path + "dest_file", keyfile::Quoted(file.dest_file) +
                                            " is absolute, which only docker components may have; write the name of "
                                            "the file, which is then in conf or resources");
  } else if ((!absolute && file.dest_file.find('/') != std::string::npos) || LastPart(file.dest_file).empty() ||
             LastPart(file.dest_file) == "." || LastPart(file.dest_file) == "..") {
    context.Fail(at.path + "dest_file", keyfile::Quoted(file.dest_file) + " is not a file name; write only a name");
  }
  return context.result.problems.size() == before;
}

// The array `constants` of bash, which the function fill uses.
std::string ConstantsArray(const Context& context, const ResolvedComponent& owner) {
  std::string text = "declare -A constants=(";
  for (const auto& [name, value] : context.constants.Fixed(owner.component.name)) {
    text += "[" + name + "]=" + ShellWord(value) + " ";
  }
  for (const std::string& name : TaskConstants()) text += "[" + name + "]=$" + name + " ";
  for (const auto& [name, value] : owner.component.configuration.env) {
    if (!IsDockerSetting(name) && keyfile::IsVariableName(name)) text += "[" + name + "]=$" + name + " ";
  }
  text.back() = ')';
  return text + "\n";
}

void AddSource(const Context& context, const FileAt& at, std::string to, bool unpack, jobspec::RoleSpec& role) {
  jobspec::File file{SourceOf(context, at.file.src_file), std::move(to), unpack};
  role.files.push_back(std::move(file));
}

// Adds the file to the role, or the lines that write it.
void AddFile(const Context& context, const ResolvedComponent& owner, const FileAt& at, jobspec::RoleSpec& role,
             Prologue& prologue) {
  const ConfigFile& file = at.file;
  const Filled name = FillText(context, at.path + "dest_file", LastPart(file.dest_file), owner);
  const bool resource = IsResource(*file.type);
  Filled target = name;
  target.pieces.insert(target.pieces.begin(), {resource ? "resources/" : "conf/", false});
  prologue.Use(target);
  if (resource) {
    if (!name.Fixed()) context.Fail(at.path + "dest_file", "must be the same in all containers; remove the constant");
    AddSource(context, at, target.ToText(), *file.type == ConfigType::kArchive, role);
  } else if (!file.src_file.empty()) {
    const std::string source = "conf/.source/" + std::to_string(role.files.size()) + "-" + LastPart(file.src_file);
    AddSource(context, at, source, false, role);
    prologue.UseAllConstants();
    prologue.SetFill(ConstantsArray(context, owner));
    prologue.Line("fill " + ShellWord(source) + " " + ShellText(target));
    if (*file.type == ConfigType::kHadoopXml && !file.properties.empty()) {
      // Hadoop's Configuration takes the last definition of a property.
      const Filled added =
          FillText(context, at.path + "properties", HadoopProperties(file.properties) + "</configuration>\n", owner);
      prologue.Use(added);
      prologue.Line("text=$(cat " + ShellText(target) + ")");
      prologue.Line("printf %s \"${text%</configuration>*}\"" + ShellText(added) + " > " + ShellText(target));
    }
  } else {
    const Filled text = FillText(context, at.path + "properties", ConfigText(*file.type, file.properties), owner);
    prologue.Use(text);
    prologue.Line("printf %s " + ShellText(text) + " > " + ShellText(target));
  }
  if (!file.dest_file.starts_with('/')) return;
  const Filled whole = FillText(context, at.path + "dest_file", file.dest_file, owner);
  prologue.Line("mkdir -p \"$(dirname " + ShellText(whole) + ")\"");
  prologue.Line("ln -sfn \"$PWD\"/" + ShellText(target) + " " + ShellText(whole));
}

void AddFiles(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role, Prologue& prologue) {
  const std::vector<ConfigFile>& files = owner.component.configuration.files;
  std::set<std::string> targets;
  bool makes_directory = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileAt at{files[i], owner.path + "configuration.files[" + std::to_string(i) + "]."};
    if (!CheckFile(context, owner, at)) continue;
    const std::string directory = IsResource(*files[i].type) ? "resources/" : "conf/";
    if (!targets.insert(directory + LastPart(files[i].dest_file)).second) {
      context.Fail(at.path + "dest_file", "another file of this component has the same name; change one of them");
      continue;
    }
    if (!makes_directory && !IsResource(*files[i].type)) prologue.Line("mkdir -p conf");
    makes_directory = makes_directory || !IsResource(*files[i].type);
    AddFile(context, owner, at, role, prologue);
  }
}

// The bytes of all files that are written from properties.
size_t BytesOfProperties(const Component& component) {
  size_t bytes = 0;
  for (const ConfigFile& file : component.configuration.files) {
    for (const auto& [name, value] : file.properties) bytes += name.size() + value.size();
  }
  return bytes;
}

void FailLong(const Context& context, const ResolvedComponent& owner) {
  context.Fail(owner.path + "configuration.files", "the command and the files that it writes are longer than " +
                                                       std::to_string(kLongestScript >> 10) +
                                                       " KiB; move large files into a src_file");
}

}  // namespace

void SetCommand(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role) {
  if (BytesOfProperties(owner.component) > kLongestScript) {
    FailLong(context, owner);
    return;
  }
  Prologue prologue;
  AddEnvironment(context, owner, role, prologue);
  AddFiles(context, owner, role, prologue);
  const Component& component = owner.component;
  if (component.artifact && component.artifact->type == ArtifactType::kTarball) {
    role.files.push_back({SourceOf(context, component.artifact->id), "lib", true});
  }
  const std::string path = owner.path + "launch_command";
  if (Trim(component.launch_command).empty()) {
    context.Fail(path, owner.docker()
                           ? "missing; Howdah does not run the entry point of an image; write the program that it runs"
                           : "missing; write the command of the containers");
    return;
  }
  const Filled command = FillText(context, path, WithLogDirectory(component.launch_command), owner);
  prologue.Use(command);
  role.command.shell = prologue.Before(ShellScript(command));
  if (role.command.shell.size() > kLongestScript) FailLong(context, owner);
}

bool IsDockerSetting(std::string_view variable) { return variable.starts_with("YARN_CONTAINER_RUNTIME_"); }

}  // namespace howdah::compat::yarnfile
