#include "howdah/compat/tony/config/keys.h"

#include <algorithm>

#include "howdah/jobspec/nearest.h"

namespace howdah::compat::tony::config {
namespace {

constexpr Effect kNone = Effect::kNone;
constexpr Effect kHonoured = Effect::kHonoured;

constexpr std::string_view kNoJvm = "no JVM runs here";
constexpr std::string_view kPortal = "it is about TonY's portal; `howdah history` needs no server";
constexpr std::string_view kHadoopFiles = "Hadoop's own files are read, from $HADOOP_CONF_DIR";

std::vector<Key> OfJobs() {
  return {
      {"tony.<job>.instances", "", kHonoured, "the tasks of the role; names may have digits, _ and - too"},
      {"tony.<job>.memory", "2g", kHonoured, "`memory` of the role"},
      {"tony.<job>.vcores", "1", kHonoured, "`vcores` of the role"},
      {"tony.<job>.gpus", "0", kHonoured, "`gpus` of the role"},
      {"tony.<job>.command", "", kHonoured, "`command` of the role, instead of `tony.containers.command`"},
      {"tony.<job>.resources", "", kHonoured, "`files` of the role"},
      {"tony.<job>.node-label", "", kHonoured, "`node_label` of the role"},
      {"tony.<job>.max-instances", "-1", kHonoured, "checked before anything is submitted"},
      {"tony.<job>.placement-spec", "", kNone,
       "placement is by `max_per_node` and `locality` of the role in the job file"},
      {"tony.<job>.allocation-tags", "", kNone, "they serve placement specs, which are not used"},
      {"tony.<job>.depends-on", "", kNone, "TonY never reads it; `tony.application.prepare-stage` orders roles"},
      {"tony.docker.<job>.image", "", kHonoured, "`image` of the role, where it is not `docker.image`"},
  };
}

std::vector<Key> OfContainers() {
  return {
      {"tony.containers.command", "", kHonoured, "`command` of every role without its own"},
      {"tony.containers.resources", "", kHonoured, "`files`"},
      {"tony.containers.envs", "", kHonoured, "`env` of the job"},
      {"tony.execution.envs", "", kHonoured, "`env` of the job, over `tony.containers.envs`"},
      {"tony.containers.placement-spec", "", kNone,
       "placement is by `max_per_node` and `locality` of the role in the job file"},
      {"tony.containers.allocation-tags", "", kNone, "they serve placement specs, which are not used"},
      {"tony.docker.enabled", "false", kHonoured, "whether the job has `docker`"},
      {"tony.docker.containers.image", "", kHonoured, "`docker.image`"},
      {"tony.docker.containers.mount", "", kHonoured, "`docker.mounts`"},
  };
}

std::vector<Key> OfApplication() {
  return {
      {"tony.yarn.queue", "default", kHonoured, "`queue`"},
      {"tony.application.name", "TensorFlowApplication", kHonoured, "`name`"},
      {"tony.application.type", "TONY", kNone, "jobs are of YARN's application type HOWDAH"},
      {"tony.application.tags", "", kHonoured, "`tags`"},
      {"tony.application.framework", "tensorflow", kHonoured, "`framework`; standalone is plain, with one task"},
      {"tony.application.distributed-mode", "GANG", kHonoured, "`start`: gang or free"},
      {"tony.application.node-label", "", kHonoured, "`node_label`"},
      {"tony.application.placement-spec", "", kNone,
       "placement is by `max_per_node` and `locality` of the role in the job file"},
      {"tony.application.timeout", "0", kHonoured, "`timeouts.run`, from when the job runs"},
      {"tony.application.enable-preprocess", "false", kHonoured,
       "a role `preprocess` of kind setup; what it prints behind `Model parameters: ` is `MODEL_PARAMS` of the others "
       "(`exports`)"},
      {"tony.application.prepare-stage", "", kHonoured, "`after` of the roles of the training stage"},
      {"tony.application.training-stage", "", kHonoured,
       "these roles start when those of the prepare stage have ended"},
      {"tony.application.untracked.jobtypes", "ps", kHonoured, "`kind: service`"},
      {"tony.application.sidecar.jobtypes", "tensorboard", kHonoured, "`kind: sidecar`"},
      {"tony.application.stop-on-failure-jobtypes", "ps", kHonoured, "`on_failure: fail`"},
      {"tony.application.fail-on-worker-failure-enabled", "false", kHonoured, "`on_failure: fail` of all workers"},
      {"tony.application.group.<G>", "", kHonoured, "`outlive.roles` of the roles whose time-out names it"},
      {"tony.application.dependency.<job>.timeout.after.<G>", "", kHonoured, "`outlive.by` of the role"},
      {"tony.application.dependency.<job>.timeout.after.<G>.ignored", "false", kHonoured,
       "`outlive.then: ignore` of the role"},
      {"tony.application.tensorboard-log-dir", "", kHonoured, "`tensorboard.logdir`"},
      {"tony.application.security.enabled", "true", kNone, "Hadoop's own configuration says whether it is secure"},
      {"tony.application.num-client-rm-connect-retries", "3", kNone, "Hadoop's own configuration says how often"},
      {"tony.application.hdfs-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.yarn-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.mapred-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.hadoop.location", "", kNone, "no Hadoop is brought to the containers; none is needed"},
      {"tony.application.hadoop.classpath", "", kNone, kNoJvm},
      {"tony.other.namenodes", "", kNone, "clusters with Kerberos, which need tokens, are not supported yet"},
      {"tony.python-exec-path", "", kNone, "TonY sets it itself; `-python_binary_path` says it"},
      {"tony.gpu-exec-path", "nvidia-smi", kNone, "TonY does not read it here either; nvidia-smi is found by PATH"},
      {"tony.version-info.<resource>", "", kNone, "it says which TonY it was"},
  };
}

std::vector<Key> OfTasks() {
  return {
      {"tony.am.memory", "2g", kHonoured, "`am.memory` where it is set; of a job without roles, memory of its task"},
      {"tony.am.vcores", "1", kHonoured, "`am.vcores` where it is set; of a job without roles, vcores of its task"},
      {"tony.am.gpus", "0", kHonoured, "of a job without roles, or of its preprocessing: `gpus` of the task"},
      {"tony.am.command", "", kHonoured, "of a job without roles, or of its preprocessing: its command"},
      {"tony.am.resources", "", kHonoured, "of a job without roles, or of its preprocessing: `files` of the task"},
      {"tony.am.node-label", "", kNone, "the application master runs where the job's label says"},
      {"tony.am.retry-count", "0", kHonoured, "`restart.max`"},
      {"tony.am.startup-timeout", "0", kHonoured, "`timeouts.queue`"},
      {"tony.am.wait-client-signal-stop-timeout-sec", "15", kNone, "the application master waits for no client"},
      {"tony.task.am.jvm.opts", "", kNone, kNoJvm},
      {"tony.task.executor.jvm.opts", "-Xmx1536m", kNone, kNoJvm},
      {"tony.task.default.jvm.opts", "", kNone, kNoJvm},
      {"tony.default.jvm.opts", "", kNone, kNoJvm},
      {"tony.task.heartbeat-interval-ms", "1000", kHonoured, "`timeouts.heartbeat`, together with the next"},
      {"tony.task.max-missed-heartbeats", "25", kHonoured, "`timeouts.heartbeat`: so many intervals, 3 at least"},
      {"tony.task.metrics-interval-ms", "5000", kNone, "usage is sampled as the machine's load allows"},
      {"tony.task.gpu-metrics.enabled", "true", kNone, "GPUs are sampled where there are any"},
      {"tony.task.executor.execution-timeout-ms", "0", kHonoured, "`timeout` of every role"},
      {"tony.task.executor.registry-timeout-sec", "0", kHonoured, "`timeouts.register`"},
      {"tony.task.executor.execution.error-message-max-depth", "20", kNone,
       "reasons are found in the whole of stderr, and name the line"},
      {"tony.task.max-total-instances", "-1", kHonoured, "checked before anything is submitted"},
      {"tony.task.max-total-<resource>", "-1", kHonoured,
       "memory (in MB), vcores and gpus: checked before anything is submitted"},
      {"tony.container.allocation.timeout", "-1", kHonoured, "`timeouts.gang`; with FCFS nothing"},
      {"tony.container.registration.timeout", "-1", kHonoured, "`timeouts.register`"},
      {"tony.horovod.mode.test", "false", kNone, "there is no driver to fake: the rendezvous is the job's own"},
      {"tony.horovod.mode.test.fast.fail", "false", kHonoured, "a service `driver` that fails"},
      {"tony.horovod.driver.mode.debug", "false", kHonoured, "allows a role `driver` of one's own, a service"},
      {"tony.tensorboard.instances", "1", kNone, "there is one TensorBoard"},
      {"tony.tensorboard.vcores", "2", kHonoured, "of a TensorBoard with a command of one's own"},
      {"tony.tensorboard.memory", "2g", kHonoured, "of a TensorBoard with a command of one's own"},
      {"tony.tensorboard.gpus", "0", kHonoured, "of a TensorBoard with a command of one's own"},
      {"tony.tensorboard.command", "", kHonoured, "a sidecar `tensorboard` instead of the managed one"},
  };
}

std::vector<Key> OfHistory() {
  return {
      {"tony.history.location", "/path/to/tony-history", kHonoured, "`history.tony`, if it is set"},
      {"tony.history.intermediate", "", kHonoured, "`howdah history` looks there"},
      {"tony.history.finished", "", kHonoured, "`howdah history` looks there, and moves jobs there"},
      {"tony.history.mover-interval-ms", "300000", kNone, "`howdah history move` runs when cron says so"},
      {"tony.history.finished-dir-timezone", "UTC", kHonoured, "of `howdah history move`"},
      {"tony.history.retention-sec", "2592000", kHonoured, "of `howdah history purge`"},
      {"tony.history.purger-interval-ms", "21600000", kNone, "`howdah history purge` runs when cron says so"},
      {"tony.portal.url", "https://localhost:19886", kNone, kPortal},
      {"tony.portal.cache.max-entries", "10000", kNone, kPortal},
      {"tony.keytab.user", "user", kNone, kPortal},
      {"tony.keytab.location", "", kNone, kPortal},
      {"tony.https.port", "19886", kNone, kPortal},
      {"tony.https.keystore.path", "", kNone, kPortal},
      {"tony.https.keystore.type", "JKS", kNone, kPortal},
      {"tony.https.keystore.password", "password", kNone, kPortal},
      {"tony.https.keystore.algorithm", "SunX509", kNone, kPortal},
      {"tony.http.port", "disabled", kNone, kPortal},
      {"tony.secret.key", "changeme", kNone, kPortal},
  };
}

struct Part {
  std::string_view title;
  std::vector<Key> keys;
};

const std::vector<Part>& Parts() {
  static const std::vector<Part> parts = {{"Of a role", OfJobs()},
                                          {"Of all containers", OfContainers()},
                                          {"Of the application", OfApplication()},
                                          {"Of the application master and the tasks", OfTasks()},
                                          {"Of history and portal", OfHistory()}};
  return parts;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Whether the name is the pattern with some name in the place of each <…>.
bool Fits(std::string_view pattern, std::string_view name) {
  const size_t open = pattern.find('<');
  if (open == pattern.npos) return pattern == name;
  if (name.substr(0, open) != pattern.substr(0, open)) return false;
  const std::string_view rest = pattern.substr(pattern.find('>') + 1);
  for (size_t end = open; end < name.size() && IsNameCharacter(name[end]); ++end) {
    if (Fits(rest, name.substr(end + 1))) return true;  // the placeholder stands for one character or more
  }
  return false;
}

std::string With(std::string_view pattern, const std::string& job) {
  const size_t open = pattern.find("<job>");
  if (open == pattern.npos) return std::string(pattern);
  return std::string(pattern.substr(0, open)) + job + std::string(pattern.substr(open + 5));
}

}  // namespace

const std::vector<Key>& Keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    for (const Part& part : Parts()) all.insert(all.end(), part.keys.begin(), part.keys.end());
    return all;
  }();
  return keys;
}

const Key* FindKey(std::string_view name) {
  const Key* found = nullptr;
  for (const Key& key : Keys()) {
    if (key.name == name) return &key;
    const bool closer = found == nullptr || key.name.size() > found->name.size();
    if (Fits(key.name, name) && closer) found = &key;
  }
  return found;
}

std::string NearestKey(std::string_view name, const std::vector<std::string>& jobs) {
  std::vector<std::string> candidates;
  for (const Key& key : Keys()) {
    if (key.name.find("<job>") == key.name.npos) {
      candidates.emplace_back(key.name);
    } else {
      for (const std::string& job : jobs) candidates.push_back(With(key.name, job));
    }
  }
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(jobspec::Nearest(name, views));
}

std::string KeysPage() {
  std::string page =
      "# TonY's keys\n\n"
      "Generated from the table of keys of `src/tony`: do not edit. What `howdah tony` does with each key of TonY's "
      "configuration;\nwords in `code` are keys of the [job file](job-file.md). A key that has no effect is named when "
      "it is set, and so is one\nthat TonY does not have. `<job>` is the name of a role, `<G>` that of a group.\n";
  for (const Part& part : Parts()) {
    page += "\n## " + std::string(part.title) + "\n\n| key | TonY's default | here |\n|---|---|---|\n";
    for (const Key& key : part.keys) {
      const std::string value = key.default_value.empty() ? "" : "`" + std::string(key.default_value) + "`";
      page += "| `" + std::string(key.name) + "` | " + value + " | " +
              (key.effect == Effect::kNone ? "**no effect**: " : "") + std::string(key.what) + " |\n";
    }
  }
  return page;
}

}  // namespace howdah::compat::tony::config
