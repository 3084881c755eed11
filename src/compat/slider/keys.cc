#include "howdah/compat/slider/keys.h"

namespace howdah::compat::slider {
namespace {

using common::Effect;
using common::Key;

constexpr Effect kNone = Effect::kNone;
constexpr Effect kHonoured = Effect::kHonoured;

constexpr std::string_view kHealth = "a job whose tasks fail more often than `restart.max` fails";
constexpr std::string_view kNoAgent = "Howdah runs tasks without Slider's agent";
constexpr std::string_view kNoSliderAm = "only for Slider's own application master";
constexpr std::string_view kNoZookeeper = "Howdah needs no ZooKeeper";
constexpr std::string_view kNoJvm = "only for applications whose scripts read this key";
constexpr std::string_view kTokens = "the job gets delegation tokens, or a keytab with `kerberos` in a job file";
constexpr std::string_view kAllLogs = "the output of every task is kept";
constexpr std::string_view kWrittenFiles = "Slider's agent writes these files; put them into the package";

std::vector<Key> OfResources() {
  return {
      {"yarn.role.priority", "", kHonoured,
       "the order of the roles; required, from 1, and different in each component"},
      {"yarn.component.instances", "0", kHonoured, "`instances`; a component with 0 instances is left out"},
      {"yarn.memory", "256", kHonoured, "`memory` in MiB; `max` is that of the largest node"},
      {"yarn.vcores", "1", kHonoured, "`vcores`; `max` are those of the largest node"},
      {"yarn.label.expression", "", kHonoured, "`node_label`"},
      {"yarn.component.placement.policy", "0", kHonoured,
       "4: `max_per_node: 1`; 16: the component cannot be named by `--max`; 0 and 2: nothing to do. 1 (only on nodes "
       "of "
       "earlier instances) has no effect, because Howdah keeps no history of nodes"},
      {"yarn.container.failure.threshold", "5", kHonoured,
       "`restart.max`, counted per task instead of per component; 0 and less: `unlimited`. In the TensorFlow package "
       "0 and less stand for the 5 restarts of its script"},
      {"yarn.container.failure.window.days", "0", kHonoured, "`restart.window`, together with the next two keys"},
      {"yarn.container.failure.window.hours", "6", kHonoured, "`restart.window`"},
      {"yarn.container.failure.window.minutes", "0", kHonoured, "`restart.window`"},
      {"yarn.node.failure.threshold", "3", kNone, "Howdah avoids a node with repeated failures by its own rule"},
      {"yarn.placement.escalate.seconds", "30", kNone, "tasks are not bound to nodes of earlier instances"},
      {"yarn.container.health.threshold.percent", "-1", kNone, kHealth},
      {"yarn.container.health.threshold.poll.frequency.secs", "10", kNone, kHealth},
      {"yarn.container.health.threshold.window.secs", "600", kNone, kHealth},
      {"yarn.container.health.threshold.init.delay.secs", "600", kNone, kHealth},
      {"yarn.log.include.patterns", "", kNone, kAllLogs},
      {"yarn.log.exclude.patterns", "", kNone, kAllLogs},
      {"yarn.disks.count-per-instance", "", kNone, "YARN grants no disks"},
      {"yarn.disk.size", "", kNone, "YARN grants no disks"},
      {"yarn.resource.normalization.enabled", "true", kNone,
       "a job that asks for more than the cluster grants is refused with the numbers"},
      {"yarn.resource-profile-name", "", kNone, "write `yarn.memory` and `yarn.vcores`"},
      {"yarn.resourcemanager.am.retry-count-window-ms", "300000", kNone,
       "attempts of the application master count within an hour; see `am.attempts`"},
      {"component.unique.names", "false", kNone, "tasks are always numbered: `worker:0`"},
  };
}

std::vector<Key> OfAppmaster() {
  return {{"slider-appmaster.yarn.memory", "1024", kHonoured, "`am.memory` in MiB, if it is set"},
          {"slider-appmaster.yarn.vcores", "1", kHonoured, "`am.vcores`"},
          {"slider-appmaster.<key>", "", kNone, kNoSliderAm}};
}

std::vector<Key> OfTensorflow() {
  return {
      {"site.global.user.scripts.entry", "", kHonoured,
       "`command`: `python ENTRY` with `--ps_hosts`, `--worker_hosts`, `--job_name`, `--task_index`, `--ckp_dir` and "
       "`--work_dir`; required"},
      {"site.global.user.checkpoint.prefix", "", kHonoured,
       "`checkpoint.dir` and, with the component `tensorboard`, `tensorboard.logdir`: PREFIX/NAME/checkpoints; "
       "required"},
      {"site.global.<component>.port", "", kHonoured,
       "`${<component>.ALLOCATED_PORT}{PER_CONTAINER}` is the port that each task has reserved (`HOWDAH_PORT`)"},
  };
}

std::vector<Key> OfAppConfig() {
  return {
      {"site.global.docker.image", "", kHonoured, "`docker.image`, with the flag `--docker`"},
      {"site.global.hadoop.conf", "", kNone, "tasks have the Hadoop configuration of their node"},
      {"site.global.yarn.cgroup.root", "", kNone, "YARN limits the containers itself"},
      {"site.global.zookeeper.quorum", "", kNone, kNoZookeeper},
      {"site.global.slider.allowed.ports", "", kNone, "ports are chosen by the system"},
      {"site.global.<name>", "", kHonoured,
       "an environment variable in upper case, with `_` for `.` and `-`; also `{$conf:@//site/global/<name>}` in "
       "commands"},
      {"site.<dictionary>.<name>", "", kHonoured,
       "only as `{$conf:@//site/<dictionary>/<name>}` in commands; Slider's agent writes configuration files from "
       "these "
       "keys, Howdah does not"},
      {"env.<name>", "", kHonoured, "the environment variable `<name>`"},
      {"application.def", "", kNone, "the package is given with `--appdef`"},
      {"application.def.original", "", kNone, "the package is given with `--appdef`"},
      {"application.name", "", kNone, "the name is an argument of `create`"},
      {"application.type", "", kNone, "the YARN application type of all jobs is HOWDAH"},
      {"application.addons", "", kNone, kNoAgent},
      {"application.addon.<name>", "", kNone, kNoAgent},
      {"application.resources", "", kNone, "put further files into the package"},
      {"am.config.generation", "false", kNone, kWrittenFiles},
      {"config_types", "", kNone, kWrittenFiles},
      {"package_list", "", kNone, kWrittenFiles},
      {"system_configs", "", kNone, "tasks have the Hadoop configuration of their node"},
      {"java_home", "", kNone, kNoJvm},
      {"jvm.heapsize", "", kNone, kNoJvm},
      {"jvm.opts", "", kNone, kNoJvm},
      {"gc.opts", "", kNone, kNoJvm},
      {"role.additional.args", "", kNone, kNoJvm},
      {"create.default.zookeeper.node", "false", kNone, kNoZookeeper},
      {"zookeeper.quorum", "", kNone, kNoZookeeper},
      {"zookeeper.hosts", "", kNone, kNoZookeeper},
      {"zookeeper.port", "", kNone, kNoZookeeper},
      {"zookeeper.path", "", kNone, kNoZookeeper},
      {"agent.conf", "", kNone, kNoAgent},
      {"agent.version", "", kNone, kNoAgent},
      {"agent.script", "", kNone, kNoAgent},
      {"agent.package.root", "", kNone, kNoAgent},
      {"agent.python.exec.path", "", kNone, kNoAgent},
      {"agent.instance.debug.data", "", kNone, kNoAgent},
      {"heartbeat.monitor.interval", "", kNone, "use `timeouts.heartbeat` in a job file"},
      {"heartbeat.lost.interval", "", kNone, "use `timeouts.heartbeat` in a job file"},
      {"wait.heartbeat", "", kNone, kNoAgent},
      {"container.launch.delay.sec", "", kNone, kNoAgent},
      {"ssl.server.client.auth", "", kNone, "connections between Howdah's processes always have certificates"},
      {"slider.hdfs.keytab.dir", "", kNone, kTokens},
      {"slider.am.login.keytab.name", "", kNone, kTokens},
      {"slider.am.keytab.local.path", "", kNone, kTokens},
      {"slider.keytab.principal.name", "", kNone, kTokens},
      {"slider.component.security.stores.required", "", kNone, kNoAgent},
      {"slider.component.keystore.password.property", "", kNone, kNoAgent},
      {"slider.component.keystore.credential.alias.property", "", kNone, kNoAgent},
      {"slider.component.truststore.password.property", "", kNone, kNoAgent},
      {"slider.component.truststore.credential.alias.property", "", kNone, kNoAgent},
      {"internal.<key>", "", kNone, kNoSliderAm},
      {"<container>.statusCommand", "", kNone, "a container fails when its process ends"},
  };
}

std::vector<Key> OfMetainfo() {
  return {
      {"application.name", "", kHonoured, "`tensorflow` is the TensorFlow package"},
      {"application.version", "", kHonoured, "for people"},
      {"application.comment", "", kHonoured, "for people"},
      {"application.packages", "", kHonoured, "the directory or archive `package/<name>` is `source`; at most one"},
      {"application.components.name", "", kHonoured, "the role"},
      {"application.components.category", "MASTER", kHonoured, "CLIENT: the component has no tasks"},
      {"application.components.type", "STANDARD", kHonoured, "`yarn_docker`: the component runs in `dockerContainers`"},
      {"application.components.minInstanceCount", "0", kHonoured, "the limit is checked before the job is submitted"},
      {"application.components.maxInstanceCount", "", kHonoured, "the limit is checked before the job is submitted"},
      {"application.components.commands", "", kHonoured,
       "`command`: `exec` of the command START; the task restarts whenever it ends (`restart.always`). Other commands "
       "have no effect, because Howdah stops tasks with a signal"},
      {"application.components.dockerContainers", "", kHonoured,
       "one container: `image`, and `command` from `startCommand`; `network`, `mounts` and `runPrivilegedContainer` "
       "become keys of `docker`"},
      {"application.components.commandScript", "", kHonoured,
       "only in the TensorFlow package; other scripts of Slider's agent are refused"},
      {"application.commandOrders", "", kHonoured, "`after`: `A-START` requires `B-STARTED`"},
      {"application.exportGroups", "", kHonoured,
       "the addresses of all tasks, in groups with the names of the components"},
      {"application.components.compExports", "", kHonoured, "as `application.exportGroups`"},
      {"application.components.appExports", "", kHonoured, "as `application.exportGroups`"},
      {"application.components.componentExports", "", kNone, "exports have the name of the component and `host_port`"},
      {"application.components.configFiles", "", kNone, kWrittenFiles},
      {"application.components.publishConfig", "false", kNone, kWrittenFiles},
      {"application.components.autoStartOnFailure", "false", kNone,
       "tasks always restart; see `restart` in a job file"},
      {"application.components.dockerContainers.ports", "", kNone,
       "tasks listen on the port that they have reserved (`HOWDAH_PORT`)"},
      {"application.components.dockerContainers.statusCommand", "", kNone, "a container fails when its process ends"},
      {"application.components.dockerContainers.options", "", kNone, "YARN composes the options of docker"},
      {"application.components.dockerContainers.commandPath", "", kNone, "YARN starts docker"},
      {"application.components.dockerContainers.additionalParam", "", kNone, "YARN composes the options of docker"},
      {"application.components.dockerContainers.useNetworkScript", "", kNone, "YARN sets up the network"},
      {"application.components.dockerContainers.inputFiles", "", kNone, kWrittenFiles},
      {"application.components.dockerContainers.configFiles", "", kNone, kWrittenFiles},
      {"application.components.dockerContainers.yarnContainerMountPoint", "", kNone, "Slider ignores this key, too"},
      {"application.configFiles", "", kNone, kWrittenFiles},
      {"application.exportedConfigs", "", kNone, kWrittenFiles},
      {"application.osSpecifics", "", kNone, "Howdah installs no packages of the operating system"},
  };
}

}  // namespace

const common::KeyTable& Keys() {
  static const common::KeyTable table({{"resources.json, per component", OfResources()},
                                       {"resources.json, application master", OfAppmaster()},
                                       {"appConfig.json of the TensorFlow package", OfTensorflow()},
                                       {"appConfig.json", OfAppConfig()},
                                       {"metainfo.json", OfMetainfo()}});
  return table;
}

std::string KeysText() { return Keys().ToMarkdown("Slider's default"); }

}  // namespace howdah::compat::slider
