// Translates job types to roles: their kinds, commands, and the effect of failures.
#include <algorithm>

#include "howdah/keyfile/nearest.h"
#include "translator.h"

namespace howdah::compat::tony::config {
namespace {

constexpr int64_t kDefaultMemory = int64_t{2} << 30;  // TonY's default of tony.<job>.memory
const std::string kChief = "chief", kWorker = "worker", kDriver = "driver", kTensorboard = "tensorboard";

// The part of the key between "tony." and ".instances". Returns "" for other keys.
std::string JobTypeOf(const std::string& key) {
  const std::string before = "tony.", after = ".instances";
  if (key.size() <= before.size() + after.size() || !key.starts_with(before) || !key.ends_with(after)) return "";
  const std::string name = key.substr(before.size(), key.size() - before.size() - after.size());
  return name.find('.') == name.npos ? name : "";
}

// Orders roles by rank: the chief's tasks get the first ranks, then the workers.
int Precedence(const std::string& name) { return name == kChief ? 0 : name == kWorker ? 1 : 2; }

// Whether bash would not interpret anything in the word.
bool IsPlainWord(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
}

}  // namespace

bool Translator::IsJobType(const std::string& name) const { return Has(types_, name); }

jobspec::RoleSpec* Translator::Find(const std::string& name) {
  for (jobspec::RoleSpec& role : result_.job.roles) {
    if (role.name == name) return &role;
  }
  return nullptr;
}

void Translator::FindJobTypes() {
  for (const auto& [key, property] : values_.configuration().properties()) {
    const std::string name = JobTypeOf(key);
    if (name.empty()) continue;
    const bool managed = name == kTensorboard && values_.IsSet("tony.application.tensorboard-log-dir");
    if (!managed && values_.Number(key, 0) > 0) types_.push_back(name);
  }
  std::stable_sort(types_.begin(), types_.end(),
                   [](const std::string& a, const std::string& b) { return Precedence(a) < Precedence(b); });
}

void Translator::ReadFramework() {
  const std::string key = "tony.application.framework";
  std::string word = values_.Text(key, "tensorflow");
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string key_of_mode = "tony.application.distributed-mode";
  const std::string mode = values_.Text(key_of_mode, "GANG");
  if (mode != "GANG" && mode != "FCFS") values_.Fail(key_of_mode, "write GANG or FCFS");
  jobspec::JobSpec& job = result_.job;
  job.start = mode == "FCFS" ? jobspec::StartMode::kFree : jobspec::StartMode::kGang;
  if (types_.empty() || word == "standalone") return;  // a single task needs no framework
  // Without a gang TonY sets no TF_CONFIG, so leave the framework unset.
  if (word == "tensorflow" && job.start == jobspec::StartMode::kFree) return;
  const auto framework = jobspec::FrameworkFromText(word);
  if (!framework) {
    const std::string_view near =
        keyfile::Nearest(word, {"tensorflow", "pytorch", "mxnet", "horovod", "standalone", "jax", "mpi", "xgboost"});
    values_.Fail(key, near.empty() ? "write tensorflow, pytorch, mxnet, horovod or standalone"
                                   : "unknown framework; did you mean " + std::string(near) + "?");
    return;
  }
  job.framework = *framework;
}

std::vector<std::string> Translator::Untracked() const {
  // For Horovod, TonY overwrites tony.application.untracked.jobtypes.
  if (result_.job.framework == jobspec::Framework::kHorovod) return {kDriver};
  return values_.List("tony.application.untracked.jobtypes").value_or(std::vector<std::string>{"ps"});
}

void Translator::AddRoles() {
  for (const std::string& name : types_) result_.job.roles.push_back(RoleOf(name));
  const std::string framework = values_.Text("tony.application.framework");
  int tasks = 0;
  for (const jobspec::RoleSpec& role : result_.job.roles) tasks += role.instances.max;
  if ((framework == "standalone" || framework == "STANDALONE") && tasks != 1) {
    values_.Fail("tony.application.framework", "a standalone job has exactly 1 task, but this one has " +
                                                   std::to_string(tasks) +
                                                   "; set one of the instances to 1 and the others to 0");
  }
  AddTensorboard();
  AddDriver();
}

jobspec::RoleSpec Translator::RoleOf(const std::string& name) {
  const std::string prefix = "tony." + name + ".";
  const std::vector<std::string> sidecars =
      values_.List("tony.application.sidecar.jobtypes").value_or(std::vector<std::string>{kTensorboard});
  jobspec::RoleSpec role;
  role.name = name;
  role.instances.min = role.instances.max = values_.Number(prefix + "instances", 1);
  role.memory_bytes = values_.Memory(prefix + "memory", kDefaultMemory);
  role.vcores = values_.Number(prefix + "vcores", 1);
  role.gpus = values_.Number(prefix + "gpus", 0);
  role.node_label = values_.Text(prefix + "node-label");
  role.command = CommandOf(name);
  if (Has(Untracked(), name)) {
    role.kind = jobspec::RoleKind::kService;
  } else if (Has(sidecars, name)) {
    role.kind = jobspec::RoleKind::kSidecar;
  }
  return role;
}

jobspec::Command Translator::CommandOf(const std::string& name) {
  const std::string key = "tony." + name + ".command";
  const std::string text = values_.Text(key, values_.Text("tony.containers.command"));
  if (text.empty()) {
    values_.Fail("role " + name + " has no command; set -executes or " + key);
    return {"true", {}};
  }
  jobspec::Command command;
  const std::string word = text.substr(0, text.find(' '));
  if (!flags_.src_dir.empty() && IsPlainWord(word)) {
    const std::string path = Absolute(flags_.src_dir, facts_.directory) + "/" + word;
    const bool is_file = !IsUri(path) && facts_.path_kind(path) == keyfile::PathKind::kFile;
    if (is_file && !facts_.executable(path)) command.shell = "chmod +x " + word + " && ";
  }
  if (facts_.on_cluster && !SkipsHadoopPath()) {
    command.shell +=
        "[ ! -x \"${HADOOP_HDFS_HOME:-}/bin/hadoop\" ] || export CLASSPATH=\"$(\"$HADOOP_HDFS_HOME/bin/hadoop\" "
        "classpath --glob)\"\n";
  }
  command.shell += text;
  return command;
}

bool Translator::SkipsHadoopPath() const {
  const std::string name = "SKIP_HADOOP_PATH";
  for (const auto& [variable, value] : flags_.container_env) {
    if (variable == name) return true;
  }
  for (const std::string& item : values_.List("tony.containers.envs").value_or(std::vector<std::string>())) {
    if (item.substr(0, item.find('=')) == name) return true;
  }
  return false;
}

// A job without roles has one task, which TonY runs in its application master.
void Translator::AddSingleTask() {
  jobspec::RoleSpec role;
  role.name = flags_.submitter == Submitter::kNotebook ? "notebook" : kDriver;
  role.memory_bytes = values_.Memory("tony.am.memory", kDefaultMemory);
  role.vcores = values_.Number("tony.am.vcores", 1);
  role.gpus = values_.Number("tony.am.gpus", 0);
  role.command = CommandOf("am");
  role.env = {{"PREPROCESSING_JOB", "true"}};
  result_.job.roles.push_back(std::move(role));
}

void Translator::AddTensorboard() {
  const std::string logdir = values_.Text("tony.application.tensorboard-log-dir");
  if (logdir.empty()) return;
  if (!values_.IsSet("tony.tensorboard.command")) {
    result_.job.tensorboard_logdir = Absolute(logdir, facts_.directory);
    return;
  }
  jobspec::RoleSpec role;
  role.name = kTensorboard;
  role.kind = jobspec::RoleKind::kSidecar;
  role.memory_bytes = values_.Memory("tony.tensorboard.memory", kDefaultMemory);
  role.vcores = values_.Number("tony.tensorboard.vcores", 2);
  role.gpus = values_.Number("tony.tensorboard.gpus", 0);
  role.command = CommandOf(kTensorboard);
  result_.job.roles.push_back(std::move(role));
}

// Howdah has its own rendezvous server for Horovod; a driver role exists only if the user configures one. That
// driver then serves the rendezvous.
void Translator::AddDriver() {
  if (result_.job.framework != jobspec::Framework::kHorovod) return;
  const bool own = values_.Bool("tony.horovod.driver.mode.debug", false);
  const bool fails = values_.Bool("tony.horovod.mode.test.fast.fail", false);
  if (!own && (IsJobType(kDriver) || values_.IsSet("tony.driver.command"))) {
    values_.Fail("tony.driver.command or tony.driver.instances is set: TonY reserves the Horovod driver; " +
                 std::string("remove it, or set tony.horovod.driver.mode.debug"));
  }
  if (Find(kDriver) == nullptr) {
    if (!fails && !(own && values_.IsSet("tony.driver.command"))) return;
    jobspec::RoleSpec role;
    role.name = kDriver;
    role.kind = jobspec::RoleKind::kService;
    role.memory_bytes = values_.Memory("tony.driver.memory", kDefaultMemory);
    role.vcores = values_.Number("tony.driver.vcores", 1);
    role.command =
        fails ? jobspec::Command{"echo 'tony.horovod.mode.test.fast.fail is set' >&2; exit 1", {}} : CommandOf(kDriver);
    result_.job.roles.push_back(std::move(role));
  }
  // The workers' variables come from the plan of the driver.
  for (jobspec::RoleSpec& role : result_.job.roles) {
    if (role.kind == jobspec::RoleKind::kWorker) role.after.push_back({kDriver, /*finished=*/false});
  }
}

// The failure of a chief, or of a task of a role in stop-on-failure-jobtypes, fails the job. The failure of other
// workers does not, unless all of them fail. If there is a role `chief`, each of its tasks is a chief; otherwise
// worker:0 is the chief.
void Translator::JudgeFailures() {
  const bool all_count = values_.Bool("tony.application.fail-on-worker-failure-enabled", false);
  const std::vector<std::string> stopping =
      values_.List("tony.application.stop-on-failure-jobtypes").value_or(std::vector<std::string>{"ps"});
  const bool has_chief = IsJobType(kChief);
  bool some_count = false;
  for (jobspec::RoleSpec& role : result_.job.roles) {
    if (role.kind != jobspec::RoleKind::kWorker) continue;
    const bool counts = all_count || types_.empty() || Has(stopping, role.name) || role.name == kChief;
    role.on_failure = jobspec::OnFailure::kTolerate;
    if (role.name == kWorker && !has_chief) role.on_failure = jobspec::OnFailure::kIgnoreOthers;
    if (counts || (role.on_failure == jobspec::OnFailure::kIgnoreOthers && role.instances.max == 1)) {
      role.on_failure = jobspec::OnFailure::kFail;
    }
    some_count |= role.on_failure != jobspec::OnFailure::kTolerate;
  }
  // If some task's failure alone fails the job, the job ends before all workers have failed. So other failures are
  // ignored.
  for (jobspec::RoleSpec& role : result_.job.roles) {
    if (some_count && role.on_failure == jobspec::OnFailure::kTolerate) role.on_failure = jobspec::OnFailure::kIgnore;
  }
  // TonY counts every lost task as a failure.
  for (jobspec::RoleSpec& role : result_.job.roles) role.restart.charge_infrastructure = true;
  result_.job.restart_max = types_.empty() ? 0 : std::max(0, values_.Number("tony.am.retry-count", 0));
}

}  // namespace howdah::compat::tony::config
