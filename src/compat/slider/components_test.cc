// Packages whose components have commands or docker containers, and the variables of appConfig.json.
#include <gmock/gmock.h>

#include "testing.h"

namespace howdah::compat::slider {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

// One component, A, with the given keys in metainfo.json.
Files WithComponent(const std::string& keys, const std::string& global = "", const std::string& of_component = "") {
  return {R"({"components": {"A": {"yarn.role.priority": 1, "yarn.component.instances": 1}}})",
          R"({"global": {)" + global + R"(}, "components": {"A": {)" + of_component + "}}}",
          R"({"schemaVersion": "2.1", "application": {"name": "X", "components": [{"name": "A", )" + keys + "}]}}"};
}

std::string CommandFor(const std::string& exec, const std::string& global, const std::string& of_component = "") {
  const auto translation =
      Translated(WithComponent(R"("commands": [{"exec": ")" + exec + R"("}])", global, of_component));
  EXPECT_THAT(translation.problems, IsEmpty());
  return translation.job.roles.empty() ? "" : translation.job.roles.front().command.shell;
}

// As test_min_pkg/sleep_cmd of Slider, with one SLEEP_LONG.
TEST(SliderComponents, CommandsWithAnOrder) {
  const auto translation = Translated(Files{
      R"({"components": {
  "slider-appmaster": {"yarn.memory": "384"},
  "SLEEP_100": {"yarn.role.priority": "1", "yarn.component.instances": "1", "yarn.memory": "128"},
  "SLEEP_LONG": {"yarn.role.priority": "2", "yarn.component.instances": "1", "yarn.memory": "128",
                 "yarn.component.placement.policy": "4"}}})",
      R"({"global": {}})",
      R"({"schemaVersion": "2.1", "application": {"name": "SLEEPER",
  "commandOrders": [{"command": "SLEEP_100-START", "requires": "SLEEP_LONG-STARTED,SLEEP_100-INSTALLED"}],
  "components": [{"name": "SLEEP_100", "commands": [{"exec": "sleep 180"}]},
    {"name": "SLEEP_LONG", "commands": [{"exec": "sleep 180000", "name": "START", "type": "SHELL"}]}]}})"});
  EXPECT_THAT(translation.problems, IsEmpty());
  EXPECT_THAT(translation.notes, IsEmpty());
  EXPECT_EQ(translation.job, Job(R"(
name: app
source: /pkg/package/files
start: free
am: {memory: 384MiB}
roles:
  SLEEP_100: {memory: 128MiB, command: sleep 180, after: [SLEEP_LONG], restart: {max: 5, window: 6h, always: true}}
  SLEEP_LONG: {memory: 128MiB, command: sleep 180000, max_per_node: 1, restart: {max: 5, window: 6h, always: true}}
)")) << jobspec::DescribeEffective(translation.job);
}

// As test_min_pkg/nc_ping_cmd of Slider.
TEST(SliderComponents, PortInACommand) {
  EXPECT_EQ(CommandFor("nc -l {$conf:@//site/global/port}",
                       R"("site.global.port": "${A.ALLOCATED_PORT}{DEFAULT_8080}{PER_CONTAINER}")"),
            "export PORT=\"$HOWDAH_PORT\"\nnc -l $HOWDAH_PORT");
}

TEST(SliderComponents, OptionsInACommand) {
  const struct {
    const char *exec, *global, *component, *command;
  } rows[] = {
      {"date +{$conf:@//site/cl-site/format} > {$conf:@//site/cl-site/file}",
       R"("site.cl-site.format": "%A", "site.cl-site.file": "${AGENT_WORK_ROOT}/app/install/log")", "",
       "date +%A > $PWD/log"},
      {"echo {$conf:@//site/global/app_root} {$conf:@//site/global/who} ${HOME}",
       R"("site.global.who": "${USER}-${CLUSTER_NAME}-${COMPONENT_NAME}")", "", "echo $PWD ann-app-A ${HOME}"},
      {"echo {$conf:@//site/global/size}", R"("site.global.size": "1")", R"("site.global.size": "2")", "echo 2"},
      {"run ${AGENT_LOG_ROOT}", "", "", "run $PWD"},
      {"run", R"("site.global.my.dir": "${AGENT_WORK_ROOT}/a \"b\" $c")", "",
       "export MY_DIR=\"$PWD/a \\\"b\\\" \\$c\"\nrun"},
  };
  for (const auto& row : rows) EXPECT_EQ(CommandFor(row.exec, row.global, row.component), row.command) << row.exec;
}

TEST(SliderComponents, OtherOptionsAreVariables) {
  const auto translation = Translated(WithComponent(
      R"("commands": [{"exec": "run"}])",
      R"("site.global.a.b-c": "1", "site.global.9": "x", "env.MALLOC_ARENA_MAX": "4", "site.global.size": "3")",
      R"("site.global.size": "5")"));
  EXPECT_THAT(translation.problems, IsEmpty());
  EXPECT_EQ(translation.job.env,
            (jobspec::EnvVars{{"A_B_C", "1"}, {"_9", "x"}, {"MALLOC_ARENA_MAX", "4"}, {"SIZE", "3"}}));
  EXPECT_EQ(translation.job.roles.front().env, (jobspec::EnvVars{{"SIZE", "5"}}));
}

// As test_docker_on_yarn_pkg/basic of Slider, with mounts.
TEST(SliderComponents, DockerContainer) {
  const auto translation = Translated(WithComponent(
      R"("type": "yarn_docker", "dockerContainers": [{"name": "ycloud", "image": "ycloud-centos6:latest",
      "startCommand": "ls", "network": "host", "yarnContainerMountPoint": "null",
      "mounts": [{"containerMount": "/data", "hostMount": "/mnt/data"}],
      "ports": [{"containerPort": "8080", "hostPort": "49160"}]}])",
      "", R"("ycloud.statusCommand": "ls")"));
  EXPECT_THAT(translation.problems, IsEmpty());
  EXPECT_EQ(translation.job, Job(R"(
name: app
source: /pkg/package/files
start: free
docker: {image: "ycloud-centos6:latest", network: host, mounts: ["/mnt/data:/data:rw"]}
roles:
  A:
    memory: 256MiB
    image: ycloud-centos6:latest
    command: ls
    restart: {max: 5, window: 6h, always: true}
)")) << jobspec::DescribeEffective(translation.job);
  EXPECT_THAT(NotesOf(translation),
              ElementsAre(HasSubstr("ycloud.statusCommand (appConfig.json) has no effect: a container fails when"),
                          HasSubstr("application.components.dockerContainers.yarnContainerMountPoint (metainfo.json)"),
                          HasSubstr("application.components.dockerContainers.ports (metainfo.json) has no effect: "
                                    "tasks listen on the port that they have reserved")));
}

TEST(SliderComponents, ComponentsWithoutTasksAreLeftOut) {
  Files files = WithComponent(R"("commands": [{"exec": "run"}]}, {"name": "C", "category": "CLIENT"}, {"name": "B",
    "commands": [{"exec": "x"}])");
  files.resources = R"({"components": {"C": {"yarn.role.priority": 2, "yarn.component.instances": 0},
    "B": {"yarn.role.priority": 3}, "A": {"yarn.role.priority": 1, "yarn.component.instances": 2}}})";
  const auto translation = Translated(files);
  EXPECT_THAT(translation.problems, IsEmpty());
  ASSERT_EQ(translation.job.roles.size(), 1u);
  EXPECT_EQ(translation.job.roles[0].instances.min, 2);
}

TEST(SliderComponents, ArchiveOfThePackageIsTheSource) {
  Files files = WithComponent(R"("commands": [{"exec": "run"}])");
  const std::string list = R"("packages": [{"type": "archive", "name": "app.tgz"}], "components")";
  files.metainfo.replace(files.metainfo.find("\"components\""), 12, list);
  EXPECT_EQ(Translated(files).job.source, "/pkg/package/app.tgz");
  files.metainfo.replace(files.metainfo.find("app.tgz"), 7, "b.tgz");
  EXPECT_THAT(Translated(files).problems,
              ElementsAre("metainfo.json: application.packages: /pkg has no package/b.tgz"));
}

TEST(SliderComponents, GroupsOfExportsWithOtherNamesAreNoted) {
  Files files = WithComponent(R"("commands": [{"exec": "run", "name": "START"}, {"exec": "x", "name": "STOP"}])");
  files.metainfo.replace(files.metainfo.find("\"components\""), 0,
                         R"("exportGroups": [{"name": "Servers", "exports": []}, {"name": "A"}], )");
  EXPECT_THAT(NotesOf(Translated(files)),
              ElementsAre("application.components.commands.STOP (metainfo.json) has no effect: Howdah stops tasks with "
                          "a signal",
                          "application.exportGroups.Servers (metainfo.json) has no effect: the addresses are published "
                          "in groups with the names of the components"));
}

}  // namespace
}  // namespace howdah::compat::slider
