// Translates Slider's TensorFlow package (app-packages/tensorflow): its roles, and the command that its script
// tensorflow_service.py composes.
#include <algorithm>

#include "context.h"

namespace howdah::compat::slider {
namespace {

constexpr char kPs[] = "ps", kChief[] = "chiefworker", kWorker[] = "worker", kTensorboard[] = "tensorboard";
constexpr char kEntry[] = "site.global.user.scripts.entry", kCheckpointPrefix[] = "site.global.user.checkpoint.prefix";

const Option* Required(Context& context, const std::string& name, const std::string& example) {
  const Option* option = FindOption(context.application.app_config.global, name);
  if (option != nullptr && !option->value.empty()) return option;
  if (!context.application.problems.empty()) return nullptr;  // the file may have been unreadable
  context.values.Fail({context.application.app_config.place.file, 0, "global." + name},
                      "missing; write for example " + example);
  return nullptr;
}

std::string CheckpointDirectory(Context& context) {
  const Option* prefix = Required(context, kCheckpointPrefix, "\"hdfs:///user/${USER_NAME}/.slider/cluster\"");
  if (prefix == nullptr) return "";
  const Value value = Replaced(prefix->value, {context.application.user, context.application.name, ""});
  std::string directory = value.literal;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (!value.fixed()) {
    context.values.Fail(prefix->place, "may contain only ${USER_NAME} and ${CLUSTER_NAME}");
  } else if (!directory.starts_with('/') && directory.find("://") == directory.npos) {
    context.values.Fail(prefix->place, "must be an absolute path or a URI, but is '" + prefix->value + "'");
  }
  return directory + "/" + context.application.name + "/checkpoints";
}

// The command of the script tensorflow_service.py. The chiefworkers are the first workers.
std::string TensorflowCommand(Context& context, const std::string& role, const std::string& entry) {
  int chiefs = 0;
  for (const jobspec::RoleSpec& other : context.result.job.roles) {
    if (other.name == kChief) chiefs = other.instances.max;
  }
  std::string workers;
  if (chiefs > 0) workers = "$HOWDAH_HOSTS_CHIEFWORKER";
  if (HasRole(context, kWorker)) workers += (workers.empty() ? "" : ",") + std::string("$HOWDAH_HOSTS_WORKER");
  const std::string index = role == kWorker && chiefs > 0 ? "$((HOWDAH_TASK_INDEX + " + std::to_string(chiefs) + "))"
                                                          : std::string("$HOWDAH_TASK_INDEX");
  return (context.directory.empty() ? "python " : "exec python ") + entry + " --ps_hosts=\"" +
         (HasRole(context, kPs) ? "$HOWDAH_HOSTS_PS" : "") + "\" --worker_hosts=\"" + workers +
         "\" --job_name=" + (role == kPs ? kPs : kWorker) + " --task_index=" + index +
         " --ckp_dir=" + ShellWord(context.result.job.checkpoint.dir) + " --work_dir=\"$PWD\"";
}

}  // namespace

bool IsTensorflow(const Context& context) {
  if (!context.application.metainfo) return true;
  const Metainfo& metainfo = *context.application.metainfo;
  return metainfo.application == "tensorflow" && !metainfo.components.empty() &&
         std::all_of(metainfo.components.begin(), metainfo.components.end(), [](const MetaComponent& component) {
           const std::string& name = component.name;
           return component.has_script && (name == kPs || name == kChief || name == kWorker || name == kTensorboard);
         });
}

bool HasRole(const Context& context, const std::string& name) {
  return std::any_of(context.result.job.roles.begin(), context.result.job.roles.end(),
                     [&](const jobspec::RoleSpec& role) { return role.name == name; });
}

void AddTensorflow(Context& context) {
  jobspec::JobSpec& job = context.result.job;
  for (const Part& part : context.parts) {
    if (part.instances == 0) continue;
    if (part.name == kTensorboard) {
      context.tensorboard = true;
      continue;
    }
    jobspec::RoleSpec role = RoleOf(context, part);
    if (part.name == kPs) role.kind = jobspec::RoleKind::kService;
    job.roles.push_back(std::move(role));
  }
  if (!HasRole(context, kChief) && !HasRole(context, kWorker) && context.result.problems.empty()) {
    context.values.Fail({context.application.resources.place.file, 0, "components"},
                        "no chiefworker and no worker has instances; set yarn.component.instances of one of them");
  }
  job.checkpoint.dir = CheckpointDirectory(context);
  if (context.tensorboard) job.tensorboard_logdir = job.checkpoint.dir;
  const Option* entry = Required(context, kEntry, "\"train.py\"");
  ApplyMaxima(context);
  for (jobspec::RoleSpec& role : job.roles) {
    role.command.shell =
        Start(context, role.name) + TensorflowCommand(context, role.name, entry == nullptr ? "train.py" : entry->value);
  }
}

}  // namespace howdah::compat::slider
