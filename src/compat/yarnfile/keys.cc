#include "howdah/compat/yarnfile/keys.h"

namespace howdah::compat::yarnfile {
namespace {

using common::Effect;
using common::Key;

constexpr Effect kNone = Effect::kNone;
constexpr Effect kHonoured = Effect::kHonoured;

constexpr std::string_view kAnswer = "YARN sets it only in its answers";
constexpr std::string_view kOnlyService = "only YARN's own application master reads it";
constexpr std::string_view kAllOutput = "Howdah keeps the output of every attempt";
constexpr std::string_view kThreshold =
    "Howdah restarts each container by itself; see `yarn.service.container-failure.retry.max`";
constexpr std::string_view kNoDns = "Howdah runs no DNS server; a container is ready without a look-up";

std::vector<Key> OfService() {
  return {
      {"name", "", kHonoured, "`name`; the name on the command line takes precedence"},
      {"version", "", kHonoured, "a tag `version:…`"},
      {"description", "", kHonoured, "a tag `description:…`, at most 100 characters"},
      {"queue", "`yarn.service.queue`", kHonoured, "`queue`"},
      {"lifetime", "no limit", kHonoured, "`timeouts.run`, from the start of the first container"},
      {"components", "", kHonoured, "roles of kind worker; at most 1000"},
      {"artifact", "", kHonoured, "for components without `artifact`"},
      {"resource", "", kHonoured, "for components without `resource`"},
      {"configuration", "", kHonoured, "for all components; their own values take precedence"},
      {"quicklinks", "", kHonoured, "printed by `howdah yarn-app -status`, with the hosts of the containers"},
      {"docker_client_config", "", kHonoured, "`docker.client_config`; a file of the submitting machine"},
      {"kerberos_principal", "", kHonoured,
       "refused unless it is empty: the job gets the tokens of the user who submits it; log in with `kinit`, or use "
       "`--keytab`"},
      {"id", "", kNone, kAnswer},
      {"launch_time", "", kNone, kAnswer},
      {"number_of_running_containers", "", kNone, kAnswer},
      {"state", "", kNone, "YARN sets it only in its answers; use `-start` and `-stop`"},
      {"uri", "", kNone, kAnswer},
  };
}

std::vector<Key> OfComponents() {
  return {
      {"components[].name", "", kHonoured, "the name of the role"},
      {"components[].number_of_containers", "", kHonoured,
       "`instances`; with `-max C=N` from this number to N, so that `-flex` works while the service runs; 0: no role"},
      {"components[].launch_command", "", kHonoured, "`command`; required also for docker"},
      {"components[].restart_policy", "ALWAYS", kHonoured,
       "ALWAYS: `restart: {max: unlimited, always: true}`; ON_FAILURE: `{max: unlimited}`; NEVER: `{max: 0}`"},
      {"components[].dependencies", "", kHonoured,
       "`after`, with `ready: true` if the other component has a check of type HTTP or PORT"},
      {"components[].readiness_check", "DEFAULT", kHonoured, "`ready`"},
      {"components[].artifact", "", kHonoured, "`image` or `files`"},
      {"components[].resource", "", kHonoured, "`memory`, `vcores`, `gpus`, `resources`"},
      {"components[].placement_policy", "", kHonoured, "`placement`, `max_per_node`, `node_label`"},
      {"components[].configuration", "", kHonoured, "`env`, limits and files"},
      {"components[].quicklinks", "", kHonoured, "constants in these links have the values of the container 0"},
      {"components[].run_privileged_container", "false", kHonoured, "`docker.privileged`; the same for all components"},
      {"components[].containers", "", kHonoured, "refused, as by YARN: it exists only in answers"},
      {"components[].state", "", kNone, kAnswer},
      {"components[].decommissioned_instances", "", kNone, kAnswer},
      {"components[].uri", "", kNone, kAnswer},
  };
}

std::vector<Key> OfArtifactsAndResources() {
  return {
      {"artifact.id", "", kHonoured, "the image, or the archive that is unpacked into `lib`"},
      {"artifact.type", "DOCKER", kHonoured,
       "DOCKER: `image`; TARBALL: `files` with `unpack`; SERVICE: refused, copy the components of that service"},
      {"artifact.uri", "", kNone, "YARN does not read it either"},
      {"resource.cpus", "", kHonoured, "`vcores`"},
      {"resource.memory", "", kHonoured, "`memory`, in MiB"},
      {"resource.profile", "", kHonoured, "refused, as by YARN: write cpus and memory"},
      {"resource.additional", "", kHonoured, "`gpus` for yarn.io/gpu, otherwise `resources`"},
      {"resource.additional.<type>.value", "", kHonoured, "the amount"},
      {"resource.additional.<type>.unit", "", kHonoured,
       "refused unless it is empty: write the value in the unit in which the cluster declares the type"},
      {"resource.additional.<type>.attributes", "", kNone, "Howdah requests the amount only"},
      {"resource.additional.<type>.tags", "", kNone, "Howdah requests the amount only"},
  };
}

std::vector<Key> OfReadiness() {
  const std::string_view prefix_text = "the port on the container's host; constants are replaced";
  return {
      {"components[].readiness_check.type", "", kHonoured,
       "HTTP and PORT: `ready`; DEFAULT: a container is ready when its process has started"},
      {"components[].readiness_check.properties", "", kHonoured, "see the rows below"},
      {"components[].readiness_check.properties.url", "", kHonoured,
       "`ready.http`; ${THIS_HOST} is 127.0.0.1, because the executor probes on its own host"},
      {"components[].readiness_check.properties.port", "", kHonoured, prefix_text},
      {"components[].readiness_check.properties.timeout", "1000", kHonoured, "`ready.timeout`, in milliseconds"},
      {"components[].readiness_check.properties.min.success", "200", kNone, "a status from 200 to 399 counts as ready"},
      {"components[].readiness_check.properties.max.success", "299", kNone, "a status from 200 to 399 counts as ready"},
      {"components[].readiness_check.properties.dns.check.enabled", "false", kNone, kNoDns},
      {"components[].readiness_check.properties.dns.address", "", kNone, kNoDns},
      {"components[].readiness_check.uri", "", kNone, "YARN does not read it either"},
      {"components[].readiness_check.artifact", "", kHonoured, "refused: YARN does not implement it either"},
  };
}

std::vector<Key> OfPlacement() {
  return {
      {"components[].placement_policy.constraints", "", kHonoured, "all of them apply"},
      {"components[].placement_policy.constraints[].name", "", kNone, "it is only a name"},
      {"components[].placement_policy.constraints[].type", "", kHonoured,
       "ANTI_AFFINITY: `max_per_node: 1`, or `placement.apart` for other components; AFFINITY: `placement.near`; "
       "AFFINITY_WITH_CARDINALITY: `max_per_node`"},
      {"components[].placement_policy.constraints[].scope", "", kHonoured,
       "NODE; RACK only for the component itself: `placement.max_per_rack`"},
      {"components[].placement_policy.constraints[].target_tags", "", kHonoured,
       "the component itself, or others, which YARN refuses"},
      {"components[].placement_policy.constraints[].node_attributes", "", kHonoured,
       "`placement.attributes`: the node must have one of the values, whatever the type of the constraint"},
      {"components[].placement_policy.constraints[].node_partitions", "", kHonoured, "`node_label`; only one"},
      {"components[].placement_policy.constraints[].min_cardinality", "", kHonoured,
       "1 for another component: `placement.near`; has no effect for the component itself"},
      {"components[].placement_policy.constraints[].max_cardinality", "", kHonoured,
       "the most containers of the component itself on a node or rack; 0 for another component: `placement.apart`"},
  };
}

std::vector<Key> OfConfiguration() {
  return {
      {"configuration.properties", "", kHonoured, "see the tables below"},
      {"configuration.env", "", kHonoured,
       "`env`; values with constants or with $ are set by the command of the role, and expanded as YARN does"},
      {"configuration.files", "", kHonoured, "written or linked by the command of the role before it starts"},
      {"configuration.files[].type", "", kHonoured,
       "XML, HADOOP_XML, JSON, YAML, PROPERTIES, ENV and TEMPLATE: a file in `conf`; STATIC and ARCHIVE: `files` in "
       "`resources`"},
      {"configuration.files[].dest_file", "", kHonoured,
       "the name of the file; an absolute path is linked to it, only with docker, and the image must allow its user to "
       "write there"},
      {"configuration.files[].src_file", "", kHonoured,
       "for TEMPLATE, HADOOP_XML, STATIC and ARCHIVE: a URI, a path of the submitting machine, or on YARN a path in "
       "HDFS"},
      {"configuration.files[].properties", "", kHonoured,
       "the content; for TEMPLATE the property `content`; added to a HADOOP_XML that has a src_file"},
      {"kerberos_principal.principal_name", "", kHonoured, "refused unless it is empty"},
      {"kerberos_principal.keytab", "", kHonoured, "refused unless it is empty"},
  };
}

std::vector<Key> OfProperties() {
  return {
      {"yarn.service.container-failure.retry.max", "-1", kHonoured,
       "`restart.max`; -1: unlimited; N: with T of the next row N × (T + 1) + T restarts of each container"},
      {"yarn.service.container-failure-per-component.threshold", "10", kHonoured,
       "a part of `restart.max`, if `retry.max` limits it; counted per container, not per component"},
      {"yarn.service.container-failure.validity-interval-ms", "-1", kHonoured,
       "`restart.window`, if `retry.max` limits the restarts"},
      {"yarn.service.failure-count-reset.window", "21600", kHonoured,
       "`restart.window`, if `retry.max` limits the restarts and no validity interval is set"},
      {"yarn.service.container-failure.retry-interval-ms", "30000", kHonoured,
       "`restart.backoff`; not set: 1 s. Doubled for each further restart, up to 1 minute"},
      {"yarn.service.readiness-check-interval.seconds", "30", kHonoured, "`ready.interval`; not set: 2 s"},
      {"yarn.service.default-readiness-check.enabled", "true", kNone,
       "a container without a check is ready when its process has started"},
      {"yarn.service.container-state-report-as-service-state", "false", kHonoured,
       "`chief`: the service ends with this container; only for one container that does not always restart"},
      {"docker.network", "", kHonoured, "`docker.network`; the same for all components"},
      {"dns.check.enabled", "false", kNone, kNoDns},
      {"dns.address", "", kNone, kNoDns},
      {"yarn.service.am-restart.max-attempts", "20", kHonoured, "`am.attempts`; not set: 2"},
      {"yarn.service.am-resource.memory", "1024", kHonoured,
       "`am.memory`, in MiB; not set: computed from the number of tasks"},
      {"yarn.service.queue", "default", kHonoured, "`queue`, if the service has none"},
      {"yarn.service.node-blacklist.threshold", "3", kNone,
       "Howdah starts a container on another node after a failure that is the node's fault"},
      {"yarn.service.container-health-threshold.percent", "-1", kNone, kThreshold},
      {"yarn.service.container-health-threshold.poll-frequency-secs", "10", kNone, kThreshold},
      {"yarn.service.container-health-threshold.window-secs", "600", kNone, kThreshold},
      {"yarn.service.container-health-threshold.init-delay-secs", "600", kNone, kThreshold},
      {"yarn.service.am.java.opts", "-Xmx768m", kNone, "Howdah runs no JVM"},
      {"yarn.service.container-recovery.timeout.ms", "120000", kNone,
       "containers wait for a new application master for `timeouts.am`"},
      {"yarn.service.am-failure.validity-interval-ms", "-1", kNone, "all attempts of the application master count"},
      {"yarn.service.log.include-pattern", "", kNone, kAllOutput},
      {"yarn.service.log.exclude-pattern", "", kNone, kAllOutput},
      {"yarn.service.rolling-log.include-pattern", "", kNone, kAllOutput},
      {"yarn.service.rolling-log.exclude-pattern", "", kNone, kAllOutput},
      {"yarn.service.upgrade.enabled", "false", kNone,
       "Howdah upgrades no service: change the file, `-destroy` and `-launch`"},
      {"yarn.service.framework.path", "", kNone, "Howdah needs no archive of the service framework"},
      {"yarn.service.base.path", "", kNone, "the application is kept in `$HOWDAH_HOME/apps`"},
      {"yarn.service.system-service.dir", "", kNone, kOnlyService},
      {"yarn.service.api-server.address", "0.0.0.0:9191", kNone, "there is no API server"},
      {"yarn.service.client-am.retry.max-wait-ms", "900000", kNone, "only YARN's client reads it"},
      {"yarn.service.client-am.retry-interval-ms", "2000", kNone, "only YARN's client reads it"},
      {"yarn.service.am.principal", "", kNone, "Howdah's application master has no server with Kerberos"},
  };
}

std::vector<Key> OfDocker() {
  const std::string_view runtime = "Howdah has no key for this setting of YARN's docker runtime";
  return {
      {"YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "", kHonoured, "`docker.mounts`; all components get all mounts"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_LOCAL_RESOURCE_MOUNTS", "", kHonoured, "`docker.mounts`, read-only"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", "", kHonoured, "`docker.tmpfs`"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", "", kHonoured, "`docker.network`"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_RUNTIME", "", kHonoured, "`docker.runtime`"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", "false", kHonoured, "`docker.privileged`"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE", "false", kHonoured,
       "true is refused: Howdah starts the command itself, so the entry point of the image does not run"},
      {"YARN_CONTAINER_RUNTIME_TYPE", "", kNone, "it follows from the artifact"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "", kNone, "the image is `artifact.id`"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_CLIENT_CONFIG", "", kNone, "use `docker_client_config` of the service"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_HOSTNAME", "", kNone, runtime},
      {"YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_PID_NAMESPACE", "", kNone, runtime},
      {"YARN_CONTAINER_RUNTIME_DOCKER_DELAYED_REMOVAL", "", kNone, runtime},
      {"YARN_CONTAINER_RUNTIME_DOCKER_PORTS_MAPPING", "", kNone, runtime},
      {"YARN_CONTAINER_RUNTIME_DOCKER_SERVICE_MODE", "", kNone, runtime},
      {"YARN_CONTAINER_RUNTIME_YARN_SYSFS_ENABLE", "", kNone, "the addresses of all tasks are in `HOWDAH_CLUSTER`"},
  };
}

}  // namespace

const common::KeyTable& Keys() {
  static const common::KeyTable table({{"Keys of the service", OfService()},
                                       {"Keys of a component", OfComponents()},
                                       {"Artifacts and resources", OfArtifactsAndResources()},
                                       {"Readiness checks", OfReadiness()},
                                       {"Placement", OfPlacement()},
                                       {"Configuration", OfConfiguration()},
                                       {"Properties", OfProperties()},
                                       {"Docker settings in env", OfDocker()}});
  return table;
}

std::string KeysPage() { return Keys().ToMarkdown("YARN's default"); }

}  // namespace howdah::compat::yarnfile
