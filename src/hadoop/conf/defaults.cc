#include "defaults.h"

#include <algorithm>
#include <iterator>

namespace howdah::hadoop::conf {
namespace {

struct Row {
  std::string_view key, value;
};
// core-default.xml, hdfs-default.xml and yarn-default.xml of Hadoop 3.3.6, sorted by key. Hadoop 3.3 to 3.5 have the
// same values.
constexpr Row kDefaults[] = {
    {"dfs.block.access.token.enable", "false"},
    {"dfs.blocksize", "134217728"},
    {"dfs.bytes-per-checksum", "512"},
    {"dfs.checksum.type", "CRC32C"},
    {"dfs.client-write-packet-size", "65536"},
    {"dfs.client.block.write.locateFollowingBlock.retries", "5"},
    {"dfs.client.block.write.replace-datanode-on-failure.best-effort", "false"},
    {"dfs.client.block.write.replace-datanode-on-failure.enable", "true"},
    {"dfs.client.block.write.replace-datanode-on-failure.policy", "DEFAULT"},
    {"dfs.client.block.write.retries", "3"},
    {"dfs.client.failover.max.attempts", "15"},
    {"dfs.client.failover.random.order", "false"},
    {"dfs.client.failover.sleep.base.millis", "500"},
    {"dfs.client.failover.sleep.max.millis", "15000"},
    {"dfs.client.socket-timeout", "60000"},
    {"dfs.client.use.datanode.hostname", "false"},
    {"dfs.datanode.socket.write.timeout", "480000"},
    {"dfs.encrypt.data.transfer", "false"},
    {"dfs.http.policy", "HTTP_ONLY"},
    {"dfs.namenode.http-address", "0.0.0.0:9870"},
    {"dfs.namenode.https-address", "0.0.0.0:9871"},
    {"dfs.namenode.kerberos.principal.pattern", "*"},
    {"dfs.replication", "3"},
    {"fs.defaultFS", "file:///"},
    {"fs.permissions.umask-mode", "022"},
    {"hadoop.http.authentication.type", "simple"},
    {"hadoop.rpc.protection", "authentication"},
    {"hadoop.rpc.socket.factory.class.default", "org.apache.hadoop.net.StandardSocketFactory"},
    {"hadoop.security.authentication", "simple"},
    {"hadoop.security.authorization", "false"},
    {"hadoop.security.token.service.use_ip", "true"},
    {"hadoop.tmp.dir", "/tmp/hadoop-${user.name}"},
    {"ipc.client.connect.max.retries", "10"},
    {"ipc.client.connect.max.retries.on.timeouts", "45"},
    {"ipc.client.connect.retry.interval", "1000"},
    {"ipc.client.connect.timeout", "20000"},
    {"ipc.client.connection.maxidletime", "10000"},
    {"ipc.client.fallback-to-simple-auth-allowed", "false"},
    {"ipc.client.ping", "true"},
    {"ipc.client.rpc-timeout.ms", "0"},
    {"ipc.maximum.data.length", "134217728"},
    {"ipc.maximum.response.length", "134217728"},
    {"ipc.ping.interval", "60000"},
    {"yarn.acl.enable", "false"},
    {"yarn.admin.acl", "*"},
    {"yarn.am.liveness-monitor.expiry-interval-ms", "600000"},
    {"yarn.client.application-client-protocol.poll-interval-ms", "200"},
    {"yarn.client.failover-proxy-provider", "org.apache.hadoop.yarn.client.ConfiguredRMFailoverProxyProvider"},
    {"yarn.client.load.resource-types.from-server", "false"},
    {"yarn.cluster.max-application-priority", "0"},
    {"yarn.federation.enabled", "false"},
    {"yarn.http.policy", "HTTP_ONLY"},
    {"yarn.log-aggregation-enable", "false"},
    {"yarn.log-aggregation-status.time-out.ms", "600000"},
    {"yarn.log-aggregation.file-controller.TFile.class",
     "org.apache.hadoop.yarn.logaggregation.filecontroller.tfile.LogAggregationTFileController"},
    {"yarn.log-aggregation.file-formats", "TFile"},
    {"yarn.nm.liveness-monitor.expiry-interval-ms", "600000"},
    {"yarn.node-labels.configuration-type", "centralized"},
    {"yarn.node-labels.enabled", "false"},
    {"yarn.nodemanager.address", "${yarn.nodemanager.hostname}:0"},
    {"yarn.nodemanager.amrmproxy.address", "0.0.0.0:8049"},
    {"yarn.nodemanager.amrmproxy.enabled", "false"},
    {"yarn.nodemanager.container-executor.class", "org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor"},
    {"yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "90.0"},
    {"yarn.nodemanager.env-whitelist",
     "JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,HADOOP_YARN_HOME,"
     "HADOOP_HOME,PATH,LANG,TZ"},
    {"yarn.nodemanager.hostname", "0.0.0.0"},
    {"yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users", "true"},
    {"yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user", "nobody"},
    {"yarn.nodemanager.log-aggregation.compression-type", "none"},
    {"yarn.nodemanager.log.retain-seconds", "10800"},
    {"yarn.nodemanager.pmem-check-enabled", "true"},
    {"yarn.nodemanager.remote-app-log-dir", "/tmp/logs"},
    {"yarn.nodemanager.remote-app-log-dir-include-older", "true"},
    {"yarn.nodemanager.remote-app-log-dir-suffix", "logs"},
    {"yarn.nodemanager.runtime.linux.allowed-runtimes", "default"},
    {"yarn.nodemanager.runtime.linux.docker.allowed-container-networks", "host,none,bridge"},
    {"yarn.nodemanager.runtime.linux.docker.default-container-network", "host"},
    {"yarn.nodemanager.sleep-delay-before-sigkill.ms", "250"},
    {"yarn.nodemanager.vmem-check-enabled", "true"},
    {"yarn.nodemanager.vmem-pmem-ratio", "2.1"},
    {"yarn.nodemanager.webapp.address", "${yarn.nodemanager.hostname}:8042"},
    {"yarn.nodemanager.webapp.https.address", "0.0.0.0:8044"},
    {"yarn.resourcemanager.address", "${yarn.resourcemanager.hostname}:8032"},
    {"yarn.resourcemanager.admin.address", "${yarn.resourcemanager.hostname}:8033"},
    {"yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs", "86400"},
    {"yarn.resourcemanager.am.max-attempts", "2"},
    {"yarn.resourcemanager.connect.max-wait.ms", "900000"},
    {"yarn.resourcemanager.connect.retry-interval.ms", "30000"},
    {"yarn.resourcemanager.ha.enabled", "false"},
    {"yarn.resourcemanager.hostname", "0.0.0.0"},
    {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000"},
    {"yarn.resourcemanager.placement-constraints.handler", "disabled"},
    {"yarn.resourcemanager.recovery.enabled", "false"},
    {"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "600000"},
    {"yarn.resourcemanager.scheduler.address", "${yarn.resourcemanager.hostname}:8030"},
    {"yarn.resourcemanager.scheduler.class",
     "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"},
    {"yarn.resourcemanager.webapp.address", "${yarn.resourcemanager.hostname}:8088"},
    {"yarn.resourcemanager.webapp.https.address", "${yarn.resourcemanager.hostname}:8090"},
    {"yarn.scheduler.include-port-in-node-name", "false"},
    {"yarn.scheduler.maximum-allocation-mb", "8192"},
    {"yarn.scheduler.maximum-allocation-vcores", "4"},
    {"yarn.scheduler.minimum-allocation-mb", "1024"},
    {"yarn.scheduler.minimum-allocation-vcores", "1"},
    {"yarn.webapp.enable-rest-app-submissions", "true"},
};

// Deprecated keys that are still in use, from org.apache.hadoop.conf.Configuration, HdfsConfiguration and
// YarnConfiguration.
constexpr Row kOldNames[] = {
    {"dfs.block.size", "dfs.blocksize"},
    {"dfs.federation.nameservices", "dfs.nameservices"},
    {"dfs.http.address", "dfs.namenode.http-address"},
    {"dfs.https.address", "dfs.namenode.https-address"},
    {"dfs.permissions", "dfs.permissions.enabled"},
    {"dfs.socket.timeout", "dfs.client.socket-timeout"},
    {"dfs.umaskmode", "fs.permissions.umask-mode"},
    {"dfs.write.packet.size", "dfs.client-write-packet-size"},
    {"fs.default.name", "fs.defaultFS"},
    {"yarn.resourcemanager.zk-address", "hadoop.zk.address"},
};

std::optional<std::string_view> Look(const auto& table, std::string_view key) {
  const auto row = std::ranges::lower_bound(table, key, {}, &Row::key);
  if (row == std::end(table) || row->key != key) return std::nullopt;
  return row->value;
}

static_assert(std::ranges::is_sorted(kDefaults, {}, &Row::key));
static_assert(std::ranges::is_sorted(kOldNames, {}, &Row::key));

}  // namespace

std::optional<std::string_view> DefaultOf(std::string_view key) { return Look(kDefaults, key); }

std::string_view PresentName(std::string_view key) { return Look(kOldNames, key).value_or(key); }

}  // namespace howdah::hadoop::conf
