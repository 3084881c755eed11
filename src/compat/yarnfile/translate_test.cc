// Yarnfiles with the job files that they mean. The examples are those of Hadoop's pages "YARN Service API", "YARN
// Service Examples" and "YARN Service Configurations".
#include "howdah/compat/yarnfile/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/jobspec/job_file.h"
#include "testing.h"

namespace howdah::compat::yarnfile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Machine;
using testing::OneComponent;

// Translates the Yarnfile, and compares the job with a job file.
TranslatedService ExpectJob(const std::string& yarnfile, const std::string& job_file,
                            const Request& request = Machine()) {
  TranslatedService service = Translate(yarnfile, request);
  EXPECT_THAT(service.translation.problems, IsEmpty());
  jobspec::SubmitHost host;
  host.file_name = "job.yaml";
  host.directory = "/here";
  const jobspec::ParsedJob expected = jobspec::ParseJobFile(job_file, host);
  for (const auto& problem : expected.problems) ADD_FAILURE() << problem.ToText();
  EXPECT_EQ(jobspec::DescribeEffective(service.translation.job), jobspec::DescribeEffective(expected.spec));
  // The job must pass the checks of job files.
  const auto again = jobspec::ParseJobFile(jobspec::WriteEffective(service.translation.job), host);
  for (const auto& problem : again.problems) ADD_FAILURE() << problem.ToText();
  return service;
}

TEST(Yarnfile, SleeperExample) {
  ExpectJob(R"({
    "name": "sleeper-service",
    "version": "1.0",
    "components" :
      [
        {
          "name": "sleeper",
          "number_of_containers": 1,
          "launch_command": "sleep 900000",
          "resource": {
            "cpus": 1,
            "memory": "256"
         }
        }
      ]
  })",
            R"(
name: sleeper-service
start: free
tags: ["version:1.0"]
roles:
  sleeper:
    memory: 256MiB
    vcores: 1
    restart: {max: unlimited, always: true}
    command: sleep 900000
)");
}

TEST(Yarnfile, WebServiceWithReadinessAndDependencies) {
  ExpectJob(R"({
    "name": "ignored", "version": "2", "description": "a site", "queue": "prod", "lifetime": "3600",
    "resource": {"cpus": 2, "memory": "512"},
    "configuration": {"properties": {"yarn.service.readiness-check-interval.seconds": 5,
                                     "yarn.service.am-restart.max-attempts": "4",
                                     "yarn.service.am-resource.memory": "2048"}},
    "components": [
      {"name": "db", "number_of_containers": 1, "launch_command": "run-db",
       "readiness_check": {"type": "PORT", "properties": {"port": "5432", "timeout": "3000"}}},
      {"name": "web", "number_of_containers": 3, "launch_command": "serve --db db", "dependencies": ["db"],
       "restart_policy": "ON_FAILURE",
       "readiness_check": {"type": "HTTP", "properties": {"url": "http://${THIS_HOST}:80${COMPONENT_ID}/"}}},
      {"name": "check", "number_of_containers": 1, "launch_command": "test-it", "dependencies": ["web", "db"],
       "restart_policy": "NEVER", "readiness_check": {"type": "DEFAULT"}},
      {"name": "report", "number_of_containers": 1, "launch_command": "report", "dependencies": ["check"],
       "restart_policy": "NEVER"}
    ]})",
            R"(
name: site
queue: prod
start: free
tags: ["version:2", "description:a site"]
am: {attempts: 4, memory: 2GiB}
timeouts: {run: 1h}
roles:
  db:
    memory: 512MiB
    vcores: 2
    restart: {max: unlimited, always: true}
    command: run-db
    ready: {port: 5432, interval: 5s, timeout: 3s}
  web:
    instances: 3
    memory: 512MiB
    vcores: 2
    restart: {max: unlimited}
    command: serve --db db
    after: [{role: db, ready: true}]
    ready: {http: "http://127.0.0.1:80${HOWDAH_TASK_INDEX}/", interval: 5s}
  check:
    memory: 512MiB
    vcores: 2
    on_failure: ignore
    command: test-it
    after: [{role: web, ready: true}, {role: db, ready: true}]
  report:
    memory: 512MiB
    vcores: 2
    on_failure: ignore
    command: report
    after: [check]
)",
            [] {
              Request request = Machine();
              request.name = "site";
              return request;
            }());
}

TEST(Yarnfile, PlacementOfTheApiExample) {
  ExpectJob(R"({
    "name": "hello-world", "version": "1.0.0",
    "components": [
      {"name": "hello", "number_of_containers": 3, "launch_command": "./start.sh",
       "resource": {"cpus": 1, "memory": "256", "additional": {"yarn.io/gpu": {"value": 4, "unit": ""},
                                                               "yarn.io/fpga": {"value": 1}}},
       "placement_policy": {"constraints": [
         {"type": "ANTI_AFFINITY", "scope": "NODE",
          "node_attributes": {"os": ["centos6", "centos7"], "fault_domain": ["fd1", "fd2"]},
          "node_partitions": ["gpu"], "target_tags": ["hello"]},
         {"type": "AFFINITY_WITH_CARDINALITY", "scope": "RACK", "target_tags": ["hello"], "max_cardinality": 2}]}},
      {"name": "cache", "number_of_containers": 1, "launch_command": "cache", "resource": {"cpus": 1, "memory": "128"},
       "placement_policy": {"constraints": [
         {"type": "AFFINITY", "scope": "NODE", "target_tags": ["hello"]},
         {"type": "ANTI_AFFINITY", "scope": "NODE", "target_tags": ["log", "cache"]}]}},
      {"name": "log", "number_of_containers": 1, "launch_command": "log", "resource": {"cpus": 1, "memory": "128"}}
    ]})",
            R"(
name: hello-world
start: free
tags: ["version:1.0.0"]
roles:
  hello:
    instances: 3
    memory: 256MiB
    vcores: 1
    gpus: 4
    resources: {yarn.io/fpga: 1}
    restart: {max: unlimited, always: true}
    command: ./start.sh
    node_label: gpu
    placement: {attributes: {fault_domain: [fd1, fd2], os: [centos6, centos7]}, max_per_rack: 2}
    max_per_node: 1
  cache:
    memory: 128MiB
    vcores: 1
    restart: {max: unlimited, always: true}
    command: cache
    placement: {near: [hello], apart: [log]}
    max_per_node: 1
  log:
    memory: 128MiB
    vcores: 1
    restart: {max: unlimited, always: true}
    command: log
)");
}

TEST(Yarnfile, DockerComponentsShareOneConfiguration) {
  ExpectJob(R"({
    "name": "httpd", "version": "1", "artifact": {"id": "centos/httpd-24-centos7:latest", "type": "DOCKER"},
    "docker_client_config": "docker/config.json",
    "resource": {"cpus": 1, "memory": "1024"},
    "configuration": {"properties": {"docker.network": "bridge"},
      "env": {"YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS": "/data:/data:ro,/tmp:/tmp:rw"}},
    "components": [
      {"name": "httpd", "number_of_containers": 1, "launch_command": "/usr/bin/run-httpd"},
      {"name": "proxy", "number_of_containers": 1, "launch_command": "/usr/bin/run-proxy",
       "artifact": {"id": "proxy:2"}}]})",
            R"(
name: httpd
start: free
tags: ["version:1"]
docker:
  image: centos/httpd-24-centos7:latest
  network: bridge
  mounts: [/data:/data:ro, /tmp:/tmp:rw]
  client_config: /here/docker/config.json
roles:
  httpd:
    memory: 1GiB
    vcores: 1
    restart: {max: unlimited, always: true}
    command: /usr/bin/run-httpd
  proxy:
    memory: 1GiB
    vcores: 1
    image: proxy:2
    restart: {max: unlimited, always: true}
    command: /usr/bin/run-proxy
)");
}

TEST(Yarnfile, TarballAndFilesBecomeFilesOfTheRole) {
  const TranslatedService service =
      Translate(OneComponent(R"("launch_command": "lib/run", "artifact": {"id": "app.tar.gz", "type": "TARBALL"},
        "configuration": {"env": {"MODE": "x y"}, "files": [
          {"type": "STATIC", "dest_file": "big.bin", "src_file": "/data/big.bin"},
          {"type": "STATIC", "dest_file": "odd", "src_file": "_x://odd"},
          {"type": "ARCHIVE", "dest_file": "pack", "src_file": "hdfs://nn/p.zip"}]})"),
                [] {
                  Request request = Machine();
                  request.on_cluster = true;
                  return request;
                }());
  ASSERT_THAT(service.translation.problems, IsEmpty());
  const jobspec::RoleSpec& role = service.translation.job.roles[0];
  EXPECT_THAT(role.files, ElementsAre(jobspec::File{"hdfs:///data/big.bin", "resources/big.bin", false},
                                      jobspec::File{"/here/_x://odd", "resources/odd", false},
                                      jobspec::File{"hdfs://nn/p.zip", "resources/pack", true},
                                      jobspec::File{"/here/app.tar.gz", "lib", true}));
  EXPECT_THAT(role.env, ElementsAre(std::pair<std::string, std::string>("MODE", "x y")));
  EXPECT_EQ(role.command.shell, "lib/run");
}

TEST(Yarnfile, TextsThatDependOnTheTaskAreFilledByTheCommand) {
  const TranslatedService service =
      Translate(OneComponent(R"("launch_command": "serve ${SERVICE_NAME} '${COMPONENT_INSTANCE_NAME}'",
        "configuration": {"env": {"WHO": "${COMPONENT_ID} of ${USER}", "OUT": "<LOG_DIR>/x"}, "files": [
          {"type": "JSON", "dest_file": "a.json", "properties": {"id": "${COMPONENT_ID}", "x": "$5 \"q\""}}]})"),
                Machine());
  ASSERT_THAT(service.translation.problems, IsEmpty());
  EXPECT_EQ(service.translation.job.roles[0].command.shell, R"(set -e
export COMPONENT_ID=$HOWDAH_TASK_INDEX
export COMPONENT_INSTANCE_NAME=$HOWDAH_ROLE-$HOWDAH_TASK_INDEX
export LOG_DIR=${LOG_DIRS%%,*}
export LOG_DIR=${LOG_DIR:-$PWD/logs}
mkdir -p "$LOG_DIR"
export WHO="${COMPONENT_ID} of ann-b"
export OUT="$LOG_DIR/x"
mkdir -p conf
printf %s "{
  \"id\" : \"${COMPONENT_ID}\",
  \"x\" : \"\$5 \\\"q\\\"\"
}" > "conf/a.json"
set +e
serve svc ''"${COMPONENT_INSTANCE_NAME}"'')");
}

TEST(Yarnfile, ValuesOfTheServiceAreInheritedByEachComponent) {
  const TranslatedService service =
      Translate(OneComponent(R"("launch_command": "x", "configuration": {"env": {"A": "own"},
        "files": [{"type": "PROPERTIES", "dest_file": "p", "properties": {"k": "own"}}]})",
                             R"("configuration": {"env": {"A": "service", "B": "service"},
        "files": [{"type": "PROPERTIES", "dest_file": "p", "properties": {"k": "service", "l": "service"}}]})"),
                Machine());
  ASSERT_THAT(service.translation.problems, IsEmpty());
  const jobspec::RoleSpec& role = service.translation.job.roles[0];
  EXPECT_THAT(role.env, ElementsAre(std::pair<std::string, std::string>("A", "own"),
                                    std::pair<std::string, std::string>("B", "service")));
  EXPECT_THAT(role.command.shell, HasSubstr("k=own\nl=service\n"));
}

TEST(Yarnfile, PropertiesLimitRestarts) {
  const struct {
    const char* properties;
    int max;
    int window_s, backoff_ms;
  } rows[] = {{R"({})", jobspec::kUnlimitedRestarts, 0, 1000},
              {R"({"yarn.service.container-failure.retry.max": "-1"})", jobspec::kUnlimitedRestarts, 0, 1000},
              // 11 containers fail, each after 1 start; the 11th failure ends the service.
              {R"({"yarn.service.container-failure.retry.max": "0"})", 10, 21600, 1000},
              // 4 containers fail, each after 3 starts.
              {R"({"yarn.service.container-failure.retry.max": 2,
           "yarn.service.container-failure-per-component.threshold": 3,
           "yarn.service.failure-count-reset.window": 60,
           "yarn.service.container-failure.retry-interval-ms": 500})",
               11, 60, 500},
              {R"({"yarn.service.container-failure.retry.max": 1,
           "yarn.service.container-failure-per-component.threshold": 0,
           "yarn.service.container-failure.validity-interval-ms": 5000})",
               1, 5, 1000}};
  for (const auto& row : rows) {
    const TranslatedService service = Translate(
        OneComponent(R"("launch_command": "x", "configuration": {"properties": )" + std::string(row.properties) + "}"),
        Machine());
    ASSERT_THAT(service.translation.problems, IsEmpty()) << row.properties;
    const jobspec::RestartLimit& restart = service.translation.job.roles[0].restart;
    EXPECT_EQ(restart.max, row.max) << row.properties;
    EXPECT_EQ(restart.window.value_or(Duration(0)), std::chrono::seconds(row.window_s)) << row.properties;
    EXPECT_EQ(restart.backoff, std::chrono::milliseconds(row.backoff_ms)) << row.properties;
    EXPECT_TRUE(restart.always);
  }
}

// The component "primary-worker" of a TensorFlow job of Apache Submarine.
TEST(Yarnfile, DominantComponentIsTheChief) {
  const std::string property = R"("yarn.service.container-state-report-as-service-state": "true")";
  const auto job = [&](const char* containers, const char* policy) {
    return Translate(R"({"name": "tf", "version": "1", "components": [{"name": "primary-worker", "resource": {"cpus": 1,
      "memory": "1"}, "launch_command": "x", "number_of_containers": )" +
                         std::string(containers) + R"(, "restart_policy": ")" + policy +
                         R"(", "configuration": {"properties": {)" + property + "}}}]}",
                     Machine())
        .translation;
  };
  EXPECT_TRUE(job("1", "NEVER").job.roles[0].chief);
  EXPECT_THAT(job("1", "NEVER").notes, IsEmpty());
  for (const auto& other : {job("2", "NEVER"), job("1", "ALWAYS")}) {
    EXPECT_FALSE(other.job.roles[0].chief);
    EXPECT_EQ(other.notes.size(), 1u);
  }
}

TEST(Yarnfile, QuickLinksNameTheHostsOfContainers) {
  const TranslatedService service =
      Translate(OneComponent(R"("launch_command": "x", "quicklinks": ["Logs"])",
                             R"("quicklinks": {"UI": "web-1.${SERVICE_NAME}.${USER}.${DOMAIN}:8080/",
                                     "Logs": "http://${COMPONENT_INSTANCE_NAME}.${SERVICE_NAME}.${USER}.${DOMAIN}/x",
                                     "Home": "http://example.com/${SERVICE_NAME}"})"),
                Machine());
  ASSERT_THAT(service.translation.problems, IsEmpty());
  const auto host = [](const std::string& role, int index) {
    return index == 0 ? "example.com" : role + "@" + std::to_string(index);
  };
  std::vector<std::string> links;
  for (const auto& [name, address] : service.quicklinks) links.push_back(name + " " + ResolveHosts(address, host));
  EXPECT_THAT(links, ElementsAre("UI web@1:8080/", "Logs http://example.com/x", "Home http://example.com/svc"));
}

TEST(Yarnfile, MaximumMakesAComponentElastic) {
  Request request = Machine();
  request.maxima = {{"web", 5}};
  request.queue = "other";
  request.lifetime = std::chrono::seconds(7);
  const auto service = Translate(OneComponent(R"("launch_command": "x")", R"("queue": "q", "lifetime": 9)"), request);
  EXPECT_THAT(service.translation.problems, IsEmpty());
  EXPECT_EQ(service.translation.job.roles[0].instances, (jobspec::Instances{2, 5}));
  EXPECT_EQ(service.translation.job.queue, "other");
  EXPECT_EQ(service.translation.job.timeouts.run, Duration(std::chrono::seconds(7)));
}

}  // namespace
}  // namespace howdah::compat::yarnfile
