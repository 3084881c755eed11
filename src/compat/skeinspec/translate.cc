#include "howdah/compat/skeinspec/translate.h"

#include <algorithm>
#include <cctype>

#include "howdah/compat/skeinspec/keys.h"

namespace howdah::compat::skeinspec {
namespace {

constexpr char kFpga[] = "yarn.io/fpga";
constexpr char kServiceKeys[] = "services.<service>.";

class Translator {
 public:
  Translator(const Specification& specification, const std::string& origin)
      : specification_(specification), origin_(origin) {}

  common::Translation Run();

 private:
  bool has_driver() const { return specification_.master.script.find_first_not_of(" \t\r\n") != std::string::npos; }
  void TranslateAcls();
  void TranslateMaster();
  void AddDriver();
  jobspec::RoleSpec RoleOf(const Service& service);
  void SetSize(const Resources& resources, jobspec::RoleSpec& role);
  void AddFiles(const std::vector<File>& files, const std::string& prefix, jobspec::RoleSpec& role);
  void SetScript(const std::string& script, const std::string& path, jobspec::RoleSpec& role);
  // Adds a note about a key without effect. `pattern`: the key's name in the table, which has the reason.
  void NoteKey(const std::string& path, const std::string& pattern);
  void Note(const std::string& key, const std::string& text) { result_.notes.push_back({key, origin_, text}); }

  const Specification& specification_;
  const std::string& origin_;
  common::Translation result_;
};

// Returns the name of a program in the script that needs Skein's service, or "".
std::string ClientOfSkein(const std::string& script) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (const std::string name : {"dask-yarn", "dask_yarn", "skein"}) {
    for (size_t at = script.find(name); at != script.npos; at = script.find(name, at + 1)) {
      const size_t end = at + name.size();
      const bool starts = at == 0 || (!is_word(script[at - 1]) && script[at - 1] != '.');
      const bool ends = end == script.size() || (!is_word(script[end]) && script[end] != '.');
      // A module may have its part after a dot: python -m dask_yarn.cli.
      if (starts && (ends || name == "dask_yarn")) return name;
    }
  }
  return "";
}

// The driver's role, with a name that no service has.
std::string DriverName(const Specification& specification) {
  std::string name = "driver";
  const auto is_taken = [&](const Service& service) { return RoleName(service.name) == name; };
  while (std::any_of(specification.services.begin(), specification.services.end(), is_taken)) name += "-1";
  return name;
}

void AppendUsers(const std::vector<std::string>& users, const std::vector<std::string>& groups,
                 std::vector<std::string>& entries) {
  entries.insert(entries.end(), users.begin(), users.end());
  for (const std::string& group : groups) entries.push_back(group == "*" ? group : "@" + group);
}

void Translator::NoteKey(const std::string& path, const std::string& pattern) {
  const common::Key* const key = Keys().Find(pattern);
  Note(path, key == nullptr ? "" : std::string(key->effect_text));
}

void Translator::TranslateAcls() {
  const Acls& acls = specification_.acls;
  for (const auto& [name, list] : {std::pair("view_users", &acls.view_users),
                                   {"view_groups", &acls.view_groups},
                                   {"modify_users", &acls.modify_users},
                                   {"modify_groups", &acls.modify_groups}}) {
    if (!list->empty() && !acls.enable) Note("acls." + std::string(name), "acls.enable is not true");
  }
  if (!acls.ui_users.empty()) NoteKey("acls.ui_users", "acls.ui_users");
  if (!acls.enable) return;
  AppendUsers(acls.view_users, acls.view_groups, result_.job.access.view);
  AppendUsers(acls.modify_users, acls.modify_groups, result_.job.access.modify);
}

void Translator::SetSize(const Resources& resources, jobspec::RoleSpec& role) {
  role.memory_bytes = resources.memory_mib << 20;
  role.vcores = resources.vcores;
  role.gpus = resources.gpus;
  if (resources.fpgas > 0) role.resources.push_back({kFpga, resources.fpgas});
  // As in Skein's containers.
  role.env.emplace_back("SKEIN_RESOURCE_MEMORY", std::to_string(resources.memory_mib));
  role.env.emplace_back("SKEIN_RESOURCE_VCORES", std::to_string(resources.vcores));
}

void Translator::AddFiles(const std::vector<File>& files, const std::string& prefix, jobspec::RoleSpec& role) {
  const std::string pattern = std::string(kServiceKeys) + "files.<file>.";
  for (const File& file : files) {
    role.files.push_back({file.source, file.name, file.IsArchive()});
    const std::string path = prefix + "files." + file.name + ".";
    if (file.visibility) NoteKey(path + "visibility", pattern + "visibility");
    if (file.size) NoteKey(path + "size", pattern + "size");
    if (file.timestamp) NoteKey(path + "timestamp", pattern + "timestamp");
  }
}

// Skein runs scripts with a plain `bash`. A command of a job file has pipefail.
void Translator::SetScript(const std::string& script, const std::string& path, jobspec::RoleSpec& role) {
  const bool has_pipe = script.find('|') != script.npos;
  role.command.shell = (has_pipe ? "set +o pipefail\n" : "") + script;
  const std::string client = ClientOfSkein(script);
  if (client.empty()) return;
  Note("`" + client + "` in " + path,
       "Skein's service, which it calls, does not run; for Dask use `dask scheduler` and `dask worker` as in "
       "examples/dask");
}

jobspec::RoleSpec Translator::RoleOf(const Service& service) {
  const std::string path = "services." + service.name + ".";
  jobspec::RoleSpec role;
  role.name = RoleName(service.name);
  role.instances = {service.instances, service.instances};
  SetSize(service.resources, role);
  role.env.insert(role.env.end(), service.env.begin(), service.env.end());
  SetScript(service.script, path + "script", role);
  AddFiles(service.files, path, role);
  for (const std::string& other : service.depends) {
    const std::string name = RoleName(other);
    const bool again = std::any_of(role.after.begin(), role.after.end(), [&](const auto& a) { return a.role == name; });
    if (!again) role.after.push_back({name});
  }
  if (has_driver()) {
    role.kind = service.allow_failures ? jobspec::RoleKind::kSidecar : jobspec::RoleKind::kService;
  } else if (service.allow_failures) {
    role.on_failure = jobspec::OnFailure::kIgnore;
  }
  role.restart.max = service.max_restarts == kAlwaysRestart ? jobspec::kUnlimitedRestarts : service.max_restarts;
  if (service.max_restarts > 0 && service.instances > 1) {
    Note("the sum over all instances in " + path + "max_restarts", "Howdah counts the restarts of each instance");
  }
  role.node_label = service.node_label;
  role.locality.nodes = service.nodes;
  for (const std::string& rack : service.racks) {
    role.locality.racks.push_back(rack.starts_with('/') ? rack : "/" + rack);
  }
  role.locality.strict = !role.locality.empty() && !service.relax_locality;
  return role;
}

void Translator::AddDriver() {
  const Master& master = specification_.master;
  jobspec::RoleSpec role;
  role.name = DriverName(specification_);
  role.chief = true;
  SetSize(master.resources.value_or(Resources()), role);
  role.env.insert(role.env.end(), master.env.begin(), master.env.end());
  SetScript(master.script, "master.script", role);
  AddFiles(master.files, "master.", role);
  result_.job.roles.push_back(std::move(role));
}

void Translator::TranslateMaster() {
  const Master& master = specification_.master;
  for (const std::string& key : master.ignored) NoteKey("master." + key, "master." + key);
  if (has_driver()) {
    AddDriver();
    return;
  }
  const std::string no_script = "only an application driver uses it, and the specification has no master.script";
  if (!master.files.empty()) Note("master.files", no_script);
  if (!master.env.empty()) Note("master.env", no_script);
  if (!master.resources) return;
  result_.job.am.memory_bytes = master.resources->memory_mib << 20;
  result_.job.am.vcores = master.resources->vcores;
  if (master.resources->gpus > 0) Note("master.resources.gpus", no_script);
  if (master.resources->fpgas > 0) Note("master.resources.fpgas", no_script);
}

common::Translation Translator::Run() {
  jobspec::JobSpec& job = result_.job;
  job.name = specification_.name;
  job.queue = specification_.queue;
  if (!specification_.user.empty()) NoteKey("user", "user");
  job.node_label = specification_.node_label;
  if (specification_.max_attempts) job.am.attempts = *specification_.max_attempts;
  job.tags = specification_.tags;
  job.file_systems = specification_.file_systems;
  job.start = jobspec::StartMode::kFree;  // Skein starts each container when it is granted
  TranslateAcls();
  TranslateMaster();
  for (const Service& service : specification_.services) job.roles.push_back(RoleOf(service));
  return std::move(result_);
}

}  // namespace

common::Translation Translate(const Specification& specification, const std::string& origin) {
  return Translator(specification, origin).Run();
}

}  // namespace howdah::compat::skeinspec
