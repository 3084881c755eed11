// Bad Yarnfiles, with all their problems and keys without effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/compat/yarnfile/translate.h"
#include "testing.h"

namespace howdah::compat::yarnfile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Machine;
using testing::OneComponent;
using Problems = std::vector<std::string>;

Problems ProblemsOf(const std::string& text) { return Translate(text, Machine()).translation.problems; }

TEST(YarnfileProblems, AllAreReportedAtOnceWithTheirPaths) {
  EXPECT_THAT(
      ProblemsOf(R"({"nmae": "x",
    "components": [
      {"name": "A_b", "launch_comand": "x", "number_of_containers": "many", "resource": {"cpus": 0, "memory": "1g"}},
      {"name": "b", "launch_command": "x", "number_of_containers": 1, "dependencies": ["c"],
       "artifact": {"id": "img", "type": "SERVICE"}, "restart_policy": "SOMETIMES",
       "resource": {"profile": "p"}, "containers": [],
       "configuration": {"properties": {"yarn.service.container-failure.retry.mx": "1"},
                         "files": [{"type": "JSON", "dest_file": "/etc/x"}]}}],
    "kerberos_principal": {"principal_name": "a/_HOST@X", "keytab": "file:///k"}})"),
      ElementsAre(
          "nmae: unknown key; did you mean 'name'?",
          "components[0].launch_comand: unknown key; did you mean 'launch_command'?",
          "components[0].number_of_containers: 'many' is not a whole number; write a whole number from 0 to 100000",
          "components[0].resource.cpus: '0' is too small; write a whole number from 1 to 1048576",
          "components[0].resource.memory: '1g' is not a whole number; write a whole number from 1 to 1073741824",
          "components[1].restart_policy: unknown value 'SOMETIMES'; write one of ALWAYS, ON_FAILURE, NEVER",
          "components[1].containers: is set by YARN only in answers, and YARN refuses it here, too; remove it",
          "kerberos_principal: Howdah's services have no principal of their own; remove it, and log in with kinit or "
          "--keytab: the job gets the tokens of the user who submits it",
          "components[0].name: invalid name 'A_b'; use lower-case letters, digits and -, beginning with a letter, at "
          "most 63",
          "components[1].configuration.properties.yarn.service.container-failure.retry.mx: unknown property; did you "
          "mean 'yarn.service.container-failure.retry.max'?",
          "components[1].artifact.type: components of other services cannot be included; copy them from the file of "
          "'img'",
          "components[1].resource.profile: YARN does not support profiles of services; write cpus and memory",
          "components[1].dependencies: unknown component 'c'; write the name of a component",
          "components[1].configuration.files[0].dest_file: '/etc/x' is absolute, which only docker components may "
          "have; write the name of the file, which is then in conf or resources"));
}

TEST(YarnfileProblems, EachNamesItsKeyAndTheRemedy) {
  const std::pair<const char*, const char*> kRows[] = {
      {R"("restart_policy": "NEVER")", "components[0].launch_command: missing; write the command of the containers"},
      {R"("artifact": {"id": "img"})",
       "components[0].launch_command: missing; Howdah does not run the entry point of an image; write the program that "
       "it runs"},
      {R"("launch_command": "x", "artifact": {"id": ""})",
       "components[0].artifact.id: is empty; write the image, or the location of the archive"},
      {R"("launch_command": "x", "artifact": {"id": "i"}, "configuration": {"env":
        {"YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE": "true"}})",
       "components[0].configuration.env.YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE: Howdah does not run the "
       "entry point of an image; write the program of the entry point in launch_command, and remove this variable"},
      {R"("launch_command": "x ${SERVICE_HDFS_DIR}")",
       "components[0].launch_command: Howdah has no value for ${SERVICE_HDFS_DIR}; write the value itself"},
      {R"("launch_command": "x", "readiness_check": {"type": "HTTP", "properties":
        {"url": "http://example.com", "timout": "1"}})",
       "components[0].readiness_check.properties.timout: unknown property of a check; did you mean 'timeout'?"},
      {R"("launch_command": "x", "readiness_check": {"type": "HTTP", "properties": {"url": "https://example.com"}})",
       "components[0].readiness_check.properties.url: 'https://example.com' is not an http URL; Howdah probes without "
       "TLS, so use a check of type PORT"},
      {R"("launch_command": "x", "readiness_check": {"type": "PORT"})",
       "components[0].readiness_check.properties.port: missing; write for example \"8080\""},
      {R"("launch_command": "x", "placement_policy": {"constraints": [{"type": "AFFINITY", "target_tags": ["web"]}]})",
       "components[0].placement_policy.constraints[0].type: Howdah cannot keep the containers of one component "
       "together; remove the constraint, or name another component in target_tags"},
      {R"("launch_command": "x", "placement_policy": {"constraints": [{"target_tags": ["web"]}]})",
       "components[0].placement_policy.constraints[0].type: missing; write for example type: ANTI_AFFINITY"},
      {R"("launch_command": "x", "placement_policy": {"constraints": [{"type": "ANTI_AFFINITY", "node_partitions":
        ["a", "b"]}]})",
       "components[0].placement_policy.constraints[0].node_partitions: a role has only one node label; write only one "
       "of 'a' and 'b'"},
      {R"("launch_command": "x", "configuration": {"files": [{"type": "YAML", "dest_file": "a", "src_file": "b"}]})",
       "components[0].configuration.files[0].src_file: only HADOOP_XML, TEMPLATE, STATIC and ARCHIVE read a file; "
       "write properties"},
      {R"("launch_command": "x", "configuration": {"files": [{"type": "TEMPLATE", "dest_file": "a"}]})",
       "components[0].configuration.files[0].src_file: missing; write the location of the template, or its text as the "
       "property 'content'"},
      {R"("launch_command": "x", "configuration": {"files": [{"type": "JSON", "dest_file": "a/b"}]})",
       "components[0].configuration.files[0].dest_file: 'a/b' is not a file name; write only a name"},
      {R"("launch_command": "x", "configuration": {"env": {"a-b": "c"}})",
       "components[0].configuration.env.a-b: invalid name of a variable; use letters, digits and _, not beginning with "
       "a digit"},
      {R"("launch_command": "x", "configuration": {"properties": {"yarn.service.container-failure.retry.max": "x"}})",
       "components[0].configuration.properties.yarn.service.container-failure.retry.max: must be a whole number of at "
       "least -1, but is 'x'"},
      {R"("launch_command": "x", "quicklinks": ["UI"])",
       "components[0].quicklinks: the service has no quick link 'UI'; add it to quicklinks of the service"},
  };
  for (const auto& [keys, problem] : kRows) EXPECT_THAT(ProblemsOf(OneComponent(keys)), ElementsAre(problem)) << keys;
}

TEST(YarnfileProblems, ClientConfigMustBeOnThisMachine) {
  EXPECT_THAT(
      ProblemsOf(OneComponent(R"("launch_command": "x", "artifact": {"id": "i"})",
                              R"("docker_client_config": "hdfs:///tmp/config.json")")),
      ElementsAre("docker_client_config: 'hdfs:///tmp/config.json' is not on this machine; copy it, for example "
                  "with `hdfs dfs -get`, and write its path"));
}

TEST(YarnfileProblems, UnreadableFilesAreNamedWithTheLine) {
  EXPECT_THAT(ProblemsOf(""), ElementsAre(HasSubstr("the file is empty")));
  EXPECT_THAT(ProblemsOf("{\n\"name\": [}"), ElementsAre(HasSubstr("line 2: ")));
  EXPECT_THAT(ProblemsOf("[]"), ElementsAre(HasSubstr("must be a map")));
  EXPECT_THAT(ProblemsOf(std::string((size_t{1} << 20) + 1, ' ')), ElementsAre(HasSubstr("1 MiB")));
}

TEST(YarnfileProblems, LargeFilesAreLimited) {
  std::string many = R"({"name": "a", "components": [)";
  for (int i = 0; i < 1001; ++i) many += std::string(i == 0 ? "" : ",") + R"({"name": "c"})";
  EXPECT_THAT(ProblemsOf(many + "]}"), ElementsAre("components: has 1001 components; at most 1000 are possible"));
  const std::string text(100'000, 'x');
  EXPECT_THAT(ProblemsOf(OneComponent(R"("launch_command": "x", "configuration": {"files": [{"type": "TEMPLATE",
    "dest_file": "a", "properties": {"content": ")" +
                                      text + "\"}}]}")),
              ElementsAre("components[0].configuration.files: the command and the files that it writes are longer than "
                          "96 KiB; move large files into a src_file"));
}

TEST(YarnfileProblems, KeysWithoutEffectAreNotedWithTheReason) {
  const auto service =
      Translate(OneComponent(R"("launch_command": "x", "state": "STABLE", "configuration": {"properties":
        {"yarn.service.log.include-pattern": "a", "yarn.dispatcher.drain-events.timeout": "0"}})",
                             R"("id": "application_1_0001")"),
                Machine());
  EXPECT_THAT(service.translation.problems, IsEmpty());
  std::vector<std::string> notes;
  for (const auto& note : service.translation.notes) notes.push_back(note.ToText());
  EXPECT_THAT(
      notes,
      ElementsAre("id (web.json) has no effect: YARN sets it only in its answers",
                  "components[0].configuration.properties.yarn.service.log.include-pattern (web.json) has no effect: "
                  "Howdah keeps the output of every attempt",
                  "components[0].configuration.properties.yarn.dispatcher.drain-events.timeout (web.json) has no "
                  "effect: only YARN's own application master reads it",
                  "components[0].state (web.json) has no effect: YARN sets it only in its answers"));
}

}  // namespace
}  // namespace howdah::compat::yarnfile
