// Translates Slider's TensorFlow package (app-packages/tensorflow): its roles, and the command that its script
// tensorflow_service.py composes.
#include <algorithm>

#include "translator.h"

namespace howdah::compat::slider {
namespace {

constexpr char kPs[] = "ps", kChief[] = "chiefworker", kWorker[] = "worker", kTensorboard[] = "tensorboard";
constexpr char kEntry[] = "site.global.user.scripts.entry", kCheckpointPrefix[] = "site.global.user.checkpoint.prefix";

}  // namespace

bool Translator::IsTensorflow() const {
  if (!application_.metainfo) return true;
  const Metainfo& metainfo = *application_.metainfo;
  return metainfo.application == "tensorflow" && !metainfo.components.empty() &&
         std::all_of(metainfo.components.begin(), metainfo.components.end(), [](const MetaComponent& component) {
           const std::string& name = component.name;
           return component.has_script && (name == kPs || name == kChief || name == kWorker || name == kTensorboard);
         });
}

bool Translator::HasRole(const std::string& name) const {
  return std::any_of(result_.job.roles.begin(), result_.job.roles.end(),
                     [&](const jobspec::RoleSpec& role) { return role.name == name; });
}

const Option* Translator::Required(const std::string& name, const std::string& example) {
  const Option* option = FindOption(application_.app_config.global, name);
  if (option != nullptr && !option->value.empty()) return option;
  if (!application_.problems.empty()) return nullptr;  // the file may have been unreadable
  values_.Fail({application_.app_config.place.file, 0, "global." + name}, "missing; write for example " + example);
  return nullptr;
}

std::string Translator::CheckpointDirectory() {
  const Option* prefix = Required(kCheckpointPrefix, "\"hdfs:///user/${USER_NAME}/.slider/cluster\"");
  if (prefix == nullptr) return "";
  const Value value = Replaced(prefix->value, {application_.user, application_.name, ""});
  std::string directory = value.literal;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (!value.fixed()) {
    values_.Fail(prefix->place, "may contain only ${USER_NAME} and ${CLUSTER_NAME}");
  } else if (!directory.starts_with('/') && directory.find("://") == directory.npos) {
    values_.Fail(prefix->place, "must be an absolute path or a URI, but is '" + prefix->value + "'");
  }
  return directory + "/" + application_.name + "/checkpoints";
}

// The command of the script tensorflow_service.py. The chiefworkers are the first workers.
std::string Translator::TensorflowCommand(const std::string& role, const std::string& entry) {
  int chiefs = 0;
  for (const jobspec::RoleSpec& other : result_.job.roles) {
    if (other.name == kChief) chiefs = other.instances.max;
  }
  std::string workers;
  if (chiefs > 0) workers = "$HOWDAH_HOSTS_CHIEFWORKER";
  if (HasRole(kWorker)) workers += (workers.empty() ? "" : ",") + std::string("$HOWDAH_HOSTS_WORKER");
  const std::string index = role == kWorker && chiefs > 0 ? "$((HOWDAH_TASK_INDEX + " + std::to_string(chiefs) + "))"
                                                          : std::string("$HOWDAH_TASK_INDEX");
  return (directory_.empty() ? "python " : "exec python ") + entry + " --ps_hosts=\"" +
         (HasRole(kPs) ? "$HOWDAH_HOSTS_PS" : "") + "\" --worker_hosts=\"" + workers +
         "\" --job_name=" + (role == kPs ? kPs : kWorker) + " --task_index=" + index +
         " --ckp_dir=" + ShellWord(result_.job.checkpoint.dir) + " --work_dir=\"$PWD\"";
}

void Translator::AddTensorflow() {
  jobspec::JobSpec& job = result_.job;
  for (const Part& part : parts_) {
    if (part.instances == 0) continue;
    if (part.name == kTensorboard) {
      tensorboard_ = true;
      continue;
    }
    jobspec::RoleSpec role = RoleOf(part);
    if (part.name == kPs) role.kind = jobspec::RoleKind::kService;
    job.roles.push_back(std::move(role));
  }
  if (!HasRole(kChief) && !HasRole(kWorker) && result_.problems.empty()) {
    values_.Fail({application_.resources.place.file, 0, "components"},
                 "no chiefworker and no worker has instances; set yarn.component.instances of one of them");
  }
  job.checkpoint.dir = CheckpointDirectory();
  if (tensorboard_) job.tensorboard_logdir = job.checkpoint.dir;
  const Option* entry = Required(kEntry, "\"train.py\"");
  ApplyMaxima();
  for (jobspec::RoleSpec& role : job.roles) {
    role.command.shell = Start(role.name) + TensorflowCommand(role.name, entry == nullptr ? "train.py" : entry->value);
  }
}

}  // namespace howdah::compat::slider
