#include "howdah/compat/tony/config/keys.h"

namespace howdah::compat::tony::config {
namespace {

using common::Effect;
using common::Key;

constexpr Effect kNone = Effect::kNone;
constexpr Effect kHonoured = Effect::kHonoured;

constexpr std::string_view kNoJvm = "Howdah runs no JVM";
constexpr std::string_view kPortal = "only for TonY's portal; `howdah history` needs no server";
constexpr std::string_view kHadoopFiles = "Hadoop's configuration is read from $HADOOP_CONF_DIR";

std::vector<Key> OfJobs() {
  return {
      {"tony.<job>.instances", "", kHonoured, "`instances` of the role; role names may also contain digits, _ and -"},
      {"tony.<job>.memory", "2g", kHonoured, "`memory` of the role"},
      {"tony.<job>.vcores", "1", kHonoured, "`vcores` of the role"},
      {"tony.<job>.gpus", "0", kHonoured, "`gpus` of the role"},
      {"tony.<job>.command", "", kHonoured, "`command` of the role, instead of `tony.containers.command`"},
      {"tony.<job>.resources", "", kHonoured, "`files` of the role"},
      {"tony.<job>.node-label", "", kHonoured, "`node_label` of the role"},
      {"tony.<job>.max-instances", "-1", kHonoured, "the limit is checked before the job is submitted"},
      {"tony.<job>.placement-spec", "", kNone, "use `max_per_node` and `locality` of the role in the job file"},
      {"tony.<job>.allocation-tags", "", kNone, "tags are used only by placement specs, which have no effect"},
      {"tony.<job>.depends-on", "", kNone,
       "TonY ignores this key, too; use `tony.application.prepare-stage` to order roles"},
      {"tony.docker.<job>.image", "", kHonoured, "`image` of the role, if it differs from `docker.image`"},
  };
}

std::vector<Key> OfContainers() {
  return {
      {"tony.containers.command", "", kHonoured, "`command` of every role that has none of its own"},
      {"tony.containers.resources", "", kHonoured, "`files`"},
      {"tony.containers.envs", "", kHonoured, "`env` of the job"},
      {"tony.execution.envs", "", kHonoured, "`env` of the job; overrides `tony.containers.envs`"},
      {"tony.containers.placement-spec", "", kNone, "use `max_per_node` and `locality` of the role in the job file"},
      {"tony.containers.allocation-tags", "", kNone, "tags are used only by placement specs, which have no effect"},
      {"tony.docker.enabled", "false", kHonoured, "sets `docker`"},
      {"tony.docker.containers.image", "", kHonoured, "`docker.image`"},
      {"tony.docker.containers.mount", "", kHonoured, "`docker.mounts`"},
  };
}

std::vector<Key> OfApplication() {
  return {
      {"tony.yarn.queue", "default", kHonoured, "`queue`"},
      {"tony.application.name", "TensorFlowApplication", kHonoured, "`name`"},
      {"tony.application.type", "TONY", kNone, "the YARN application type of all jobs is HOWDAH"},
      {"tony.application.tags", "", kHonoured, "`tags`"},
      {"tony.application.framework", "tensorflow", kHonoured, "`framework`; standalone becomes plain with one task"},
      {"tony.application.distributed-mode", "GANG", kHonoured, "`start`: gang or free"},
      {"tony.application.node-label", "", kHonoured, "`node_label`"},
      {"tony.application.placement-spec", "", kNone, "use `max_per_node` and `locality` of the role in the job file"},
      {"tony.application.timeout", "0", kHonoured, "`timeouts.run`, counted from the start of the first task"},
      {"tony.application.enable-preprocess", "false", kHonoured,
       "a role `preprocess` of kind setup; the text it prints after `Model parameters: ` becomes `MODEL_PARAMS` of the "
       "other roles (`exports`)"},
      {"tony.application.prepare-stage", "", kHonoured, "`after` of the roles of the training stage"},
      {"tony.application.training-stage", "", kHonoured,
       "these roles start when those of the prepare stage have finished"},
      {"tony.application.untracked.jobtypes", "ps", kHonoured, "`kind: service`"},
      {"tony.application.sidecar.jobtypes", "tensorboard", kHonoured, "`kind: sidecar`"},
      {"tony.application.stop-on-failure-jobtypes", "ps", kHonoured, "`on_failure: fail`"},
      {"tony.application.fail-on-worker-failure-enabled", "false", kHonoured, "`on_failure: fail` of all workers"},
      {"tony.application.group.<G>", "", kHonoured,
       "`outlive.roles` of each role with a `tony.application.dependency.<job>.timeout.after.<G>`"},
      {"tony.application.dependency.<job>.timeout.after.<G>", "", kHonoured, "`outlive.by` of the role"},
      {"tony.application.dependency.<job>.timeout.after.<G>.ignored", "false", kHonoured,
       "`outlive.then: ignore` of the role, or `service` if stop-on-failure-jobtypes names it"},
      {"tony.application.tensorboard-log-dir", "", kHonoured, "`tensorboard.logdir`"},
      {"tony.application.security.enabled", "true", kNone, "Hadoop's configuration decides"},
      {"tony.application.num-client-rm-connect-retries", "3", kNone, "Hadoop's configuration decides"},
      {"tony.application.hdfs-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.yarn-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.mapred-conf-path", "", kNone, kHadoopFiles},
      {"tony.application.hadoop.location", "", kNone, "containers need no Hadoop"},
      {"tony.application.hadoop.classpath", "", kNone, kNoJvm},
      {"tony.other.namenodes", "", kHonoured, "`file_systems`"},
      {"tony.python-exec-path", "", kNone, "TonY sets this key itself, from `-python_binary_path`"},
      {"tony.gpu-exec-path", "nvidia-smi", kNone, "TonY ignores this key, too; Howdah looks up nvidia-smi in PATH"},
      {"tony.version-info.<resource>", "", kNone, "only records the version of TonY"},
  };
}

std::vector<Key> OfTasks() {
  return {
      {"tony.am.memory", "2g", kHonoured, "`am.memory` if it is set; in a job without roles, `memory` of its task"},
      {"tony.am.vcores", "1", kHonoured, "`am.vcores` if it is set; in a job without roles, `vcores` of its task"},
      {"tony.am.gpus", "0", kHonoured, "in a job without roles, or for preprocessing: `gpus` of the task"},
      {"tony.am.command", "", kHonoured, "in a job without roles, or for preprocessing: `command` of the task"},
      {"tony.am.resources", "", kHonoured, "in a job without roles, or for preprocessing: `files` of the task"},
      {"tony.am.node-label", "", kNone, "the application master runs on nodes with the job's label"},
      {"tony.am.retry-count", "0", kHonoured, "`restart.max` of the job"},
      {"tony.am.startup-timeout", "0", kHonoured, "`timeouts.queue`"},
      {"tony.am.wait-client-signal-stop-timeout-sec", "15", kNone,
       "the application master does not wait for the client"},
      {"tony.task.am.jvm.opts", "", kNone, kNoJvm},
      {"tony.task.executor.jvm.opts", "-Xmx1536m", kNone, kNoJvm},
      {"tony.task.default.jvm.opts", "", kNone, kNoJvm},
      {"tony.default.jvm.opts", "", kNone, kNoJvm},
      {"tony.task.heartbeat-interval-ms", "1000", kHonoured,
       "`timeouts.heartbeat` is this interval, multiplied by the next key"},
      {"tony.task.max-missed-heartbeats", "25", kHonoured,
       "`timeouts.heartbeat` is this number of intervals, at least 3"},
      {"tony.task.metrics-interval-ms", "5000", kNone, "the executor chooses the sampling interval"},
      {"tony.task.gpu-metrics.enabled", "true", kNone, "GPUs are sampled on every node that has GPUs"},
      {"tony.task.executor.execution-timeout-ms", "0", kHonoured, "`timeout` of every role"},
      {"tony.task.executor.registry-timeout-sec", "0", kHonoured, "`timeouts.register`"},
      {"tony.task.executor.execution.error-message-max-depth", "20", kNone,
       "reasons are extracted from the complete stderr and name the line"},
      {"tony.task.max-total-instances", "-1", kHonoured, "the limit is checked before the job is submitted"},
      {"tony.task.max-total-<resource>", "-1", kHonoured,
       "a limit for memory (in MB), vcores or gpus, checked before the job is submitted"},
      {"tony.container.allocation.timeout", "-1", kHonoured, "`timeouts.gang`; no effect with FCFS"},
      {"tony.container.registration.timeout", "-1", kHonoured, "`timeouts.register`"},
      {"tony.horovod.mode.test", "false", kNone, "there is no driver to fake: Howdah has its own rendezvous server"},
      {"tony.horovod.mode.test.fast.fail", "false", kHonoured, "adds a service `driver` that fails"},
      {"tony.horovod.driver.mode.debug", "false", kHonoured,
       "adds a role `driver` of `kind: service`. It serves the rendezvous, and the workers' variables come from its "
       "plan"},
      {"tony.tensorboard.instances", "1", kNone, "there is always one TensorBoard"},
      {"tony.tensorboard.vcores", "2", kHonoured,
       "`vcores` of the role `tensorboard`, if `tony.tensorboard.command` is set"},
      {"tony.tensorboard.memory", "2g", kHonoured,
       "`memory` of the role `tensorboard`, if `tony.tensorboard.command` is set"},
      {"tony.tensorboard.gpus", "0", kHonoured,
       "`gpus` of the role `tensorboard`, if `tony.tensorboard.command` is set"},
      {"tony.tensorboard.command", "", kHonoured,
       "`command` of a sidecar role `tensorboard`, which replaces the TensorBoard of the application master"},
  };
}

std::vector<Key> OfHistory() {
  return {
      {"tony.history.location", "/path/to/tony-history", kHonoured, "`history.tony`, if it is set"},
      {"tony.history.intermediate", "", kHonoured, "`howdah history` reads it"},
      {"tony.history.finished", "", kHonoured, "`howdah history` reads it and moves jobs there"},
      {"tony.history.mover-interval-ms", "300000", kNone, "run `howdah history move` from cron instead"},
      {"tony.history.finished-dir-timezone", "UTC", kHonoured, "used by `howdah history move`"},
      {"tony.history.retention-sec", "2592000", kHonoured, "used by `howdah history purge`"},
      {"tony.history.purger-interval-ms", "21600000", kNone, "run `howdah history purge` from cron instead"},
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

}  // namespace

const common::KeyTable& Keys() {
  static const common::KeyTable table({{"Roles", OfJobs()},
                                       {"All containers", OfContainers()},
                                       {"Application", OfApplication()},
                                       {"Application master and tasks", OfTasks()},
                                       {"History and portal", OfHistory()}});
  return table;
}

std::string KeysPage() {
  return "# TonY's keys\n\nGenerated from the key table of `src/compat/tony/config`: do not edit. How `howdah tony` "
         "translates each key of TonY's\nconfiguration; words in `code` are keys of the [job file](job-file.md). Keys "
         "without effect and unknown keys are reported\nwhen they are set. `<job>` stands for the name of a role, "
         "`<G>` "
         "for that of a group.\n" +
         Keys().ToMarkdown("TonY's default");
}

}  // namespace howdah::compat::tony::config
