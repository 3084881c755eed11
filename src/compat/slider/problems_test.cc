// Mistakes in the files, with the place and the remedy. All problems of all files are reported at once.
#include <gmock/gmock.h>

#include "howdah/compat/slider/ytensorflow.h"
#include "testing.h"

namespace howdah::compat::slider {
namespace {

using ::testing::ElementsAreArray;
using namespace testing;

constexpr char kConfig[] =
    R"({"global": {"site.global.user.scripts.entry": "t.py", "site.global.user.checkpoint.prefix": "/ckpt"}})";
constexpr char kWorker[] = R"({"components": {"worker": {"yarn.role.priority": 1, "yarn.component.instances": 1}}})";

struct BadRow {
  Files files;
  std::vector<std::string> problems;
};

void Expect(const std::vector<BadRow>& rows) {
  for (const BadRow& row : rows) {
    EXPECT_THAT(Translated(row.files).problems, ElementsAreArray(row.problems))
        << row.files.resources << row.files.app_config << row.files.metainfo;
  }
}

std::string Worker(const std::string& options) {
  return "{\"components\": {\n\"worker\": {\n\"yarn.role.priority\": 1, \"yarn.component.instances\": 1,\n" + options +
         "}}}";
}

TEST(SliderProblems, ResourcesAreChecked) {
  const std::string key = "resources.json:4: components.worker.";
  Expect({
      {{"{", kConfig},
       {"resources.json:1: not valid YAML: while parsing a flow node, did not find expected node content"}},
      {{"", kConfig}, {"resources.json: the file is empty"}},
      {{Worker("\"yarn.memroy\": 5"), kConfig}, {key + "yarn.memroy: unknown key; did you mean 'yarn.memory'?"}},
      {{Worker("\"memory\": 5"), kConfig}, {key + "memory: unknown key; did you mean 'yarn.memory'?"}},
      {{Worker("\"yarn.memory\": \"2g\", \"yarn.vcores\": 0"), kConfig},
       {key + "yarn.memory: must be a whole number from 1 to 1099511627776, but is '2g'",
        key + "yarn.vcores: must be a whole number from 1 to 100000, but is '0'"}},
      {{Worker("\"yarn.component.placement.policy\": 32"), kConfig},
       {key + "yarn.component.placement.policy: must be a whole number from 0 to 23, but is '32'"}},
      {{Worker("\"yarn.memory\": [1]"), kConfig}, {key + "yarn.memory: must be a text or a number, but is a list"}},
      {{Worker("\"yarn.vcores\": 1, \"yarn.vcores\": 2"), kConfig},
       {key + "yarn.vcores: duplicate key (first in line 4); remove one of them"}},
      {{R"({"components": {}})", kConfig},
       {"resources.json: components: no chiefworker and no worker has instances; set yarn.component.instances of one "
        "of them"}},
      {{R"({"component": {}})", kConfig}, {"resources.json:1: component: unknown key; did you mean 'components'?"}},
  });
}

TEST(SliderProblems, PrioritiesAreChecked) {
  const std::string one = "\"yarn.component.instances\": 1";
  Expect({
      {{R"({"components": {"worker": {)" + one + "}}}", kConfig},
       {"resources.json:1: components.worker: yarn.role.priority is missing; write a number from 1 that no other "
        "component has"}},
      {{"{\"components\": {\"ps\": {\"yarn.role.priority\": 1, " + one +
            "},\n\"worker\": {\"yarn.role.priority\": 1, " + one + "}}}",
        kConfig},
       {"resources.json:2: components.worker.yarn.role.priority: component ps has the priority 1, too; write a number "
        "that no other component has"}},
      {{R"({"components": {"worker": {"yarn.role.priority": 0, )" + one + "}}}", kConfig},
       {"resources.json:1: components.worker.yarn.role.priority: must be a whole number from 1 to 2147483647, but is "
        "'0'"}},
      {{R"({"components": {"wroker": {"yarn.role.priority": 2}, "worker": {"yarn.role.priority": 1, )" + one + "}}}",
        kConfig},
       {"resources.json:1: components.wroker: the TensorFlow package has no such component, and no metainfo.json "
        "describes another package; did you mean 'worker'?"}},
  });
}

TEST(SliderProblems, AppConfigIsChecked) {
  const std::string entry = R"("site.global.user.scripts.entry": "t.py")";
  Expect({
      {{kWorker, R"({"global": {}})"},
       {"appConfig.json: global.site.global.user.checkpoint.prefix: missing; write for example "
        "\"hdfs:///user/${USER_NAME}/.slider/cluster\"",
        "appConfig.json: global.site.global.user.scripts.entry: missing; write for example \"train.py\""}},
      {{kWorker, "{\"global\": {" + entry + ",\n\"site.global.user.checkpoint.prefix\": \"ckpt\"}}"},
       {"appConfig.json:2: global.site.global.user.checkpoint.prefix: must be an absolute path or a URI, but is "
        "'ckpt'"}},
      {{kWorker, "{\"global\": {" + entry + ",\n\"site.global.user.checkpoint.prefix\": \"/${NN_HOST}\"}}"},
       {"appConfig.json:2: global.site.global.user.checkpoint.prefix: may contain only ${USER_NAME} and "
        "${CLUSTER_NAME}"}},
      {{kWorker,
        "{\"global\": {" + entry + ", \"site.global.user.checkpoint.prefix\": \"/c\",\n\"applicaton.def\": \"x\"}}"},
       {"appConfig.json:2: global.applicaton.def: unknown key; did you mean 'application.def'?"}},
  });
}

std::string Meta(const std::string& component) {
  return "{\"application\": {\"name\": \"X\", \"components\": [\n{\"name\": \"A\", " + component + "}]}}";
}

TEST(SliderProblems, MetainfoIsChecked) {
  const std::string resources = R"({"components": {"A": {"yarn.role.priority": 1, "yarn.component.instances": 3}}})";
  const std::string app_config = R"({"global": {"site.global.b": "${B.ALLOCATED_PORT}{PER_CONTAINER}",
"site.global.p": "${A.ALLOCATED_PORT}", "site.global.q": "${A.ALLOCATED_PORT}", "site.global.z": "${NN_URI}"}})";
  const std::string plain = R"({"global": {}})", place = "metainfo.json:2: application.components.A: ";
  const std::string run = R"("commands": [{"exec": "run"}])";
  Expect({
      {{resources, plain, Meta(R"("commandScript": {"script": "scripts/hbase.py", "scriptType": "PYTHON"})")},
       {place + "runs a script of Slider's agent (commandScript), which Howdah cannot run; describe the component with "
                "commands and exec"}},
      {{resources, plain, Meta(R"("category": "SLAVE")")},
       {place + "has no command START with exec; add it to commands"}},
      {{resources, plain, Meta(R"("comands": [])")},
       {"metainfo.json:2: application.components[0].comands: unknown key; did you mean 'commands'?",
        place + "has no command START with exec; add it to commands"}},
      {{resources, plain, Meta(run + R"(, "maxInstanceCount": "2")")},
       {"resources.json:1: components.A.yarn.component.instances: metainfo.json allows 0 to 2 instances, but "
        "resources.json has 3"}},
      {{resources, plain, Meta(R"("category": "CLIENT")")},
       {"resources.json:1: components.A.yarn.component.instances: a component of the category CLIENT has no tasks; "
        "write 0"}},
      {{resources, plain, Meta(R"("type": "yarn_docker", "dockerContainers": [{"name": "a"}, {"name": "b"}])")},
       {place + "has several dockerContainers; write a component for each of them"}},
      {{resources, plain, Meta(R"("type": "yarn_docker", "dockerContainers": [{"name": "a"}])")},
       {place + "dockerContainers has no image; add it",
        place + "dockerContainers has no startCommand; write the command of the image, because Howdah starts the "
                "container with its own process"}},
      {{resources, app_config,
        Meta(R"("commands": [{"exec": "x {$conf:@//site/global/b} {$conf:@//site/x/y} {$conf:@//site/global/z}"}])")},
       {"appConfig.json:2: global.site.global.q: each task of A has one reserved port, which site.global.p stands for; "
        "let the program choose its further ports",
        place + "the command uses site.global.b, the port of B, which is different for each task; use the variable "
                "HOWDAH_HOSTS_B instead",
        place + "the command uses site.x.y, which appConfig.json does not set; add it there",
        "appConfig.json:2: global.site.global.z: contains ${NN_URI}, which only Slider's agent replaces; write the "
        "value"}},
      {{resources, plain, R"({"application": {"components": []}})"},
       {"metainfo.json:1: application.name: missing; write for example name: \"sleeper\"",
        "resources.json:1: components.A: the package has no such component"}},
  });
}

TEST(SliderProblems, ComponentsAreLimited) {
  std::string text = R"({"components": {)";
  for (int i = 0; i < 1001; ++i) text += (i == 0 ? "\"c" : ", \"c") + std::to_string(i) + "\": {}";
  EXPECT_THAT(ReadConfTree({"resources.json", text + "}}"}).problems,
              ElementsAreArray({"resources.json:1: components: has 1001 components; at most 1000 are supported"}));
  EXPECT_THAT(ReadConfTree({"resources.json", std::string((1 << 20) + 1, ' ')}).problems,
              ElementsAreArray({"resources.json: is larger than 1 MiB"}));
}

// White space that JSON allows and YAML does not.
TEST(SliderConfTree, TabsAreAllowed) {
  const ReadTree read = ReadConfTree({"resources.json", "{\n\t\"components\":\t{\n\t\t\"ps\":\t{\t\"a\":\t\"b\"}}}"});
  EXPECT_THAT(read.problems, ::testing::IsEmpty());
  ASSERT_EQ(read.tree.components.size(), 1u);
  EXPECT_EQ(read.tree.components[0].options[0].value, "b");
}

// The format of ytensorflow/config.default.json; defaults are those of the package's *.default.json.
TEST(SliderYtensorflow, ChangesTheDefaultsOfThePackage) {
  const TensorflowCluster cluster = ReadTensorflowCluster(
      {"config.json", R"({"schema": "http://example.org/specification/v2.0.0", "commandConfig": {"app.name": "tf1"},
  "appConfig": {"global": {"user.scripts.entry": "mnist.py"}},
  "resources": {"components": {"ps": {"yarn.component.instances": "1"}, "worker": {"yarn.memory": "1024"}}}})"},
      "hdfs:///user/${USER_NAME}/.slider/cluster");
  EXPECT_THAT(cluster.problems, ::testing::IsEmpty());
  EXPECT_EQ(cluster.name, "tf1");
  Application app;
  app.name = cluster.name;
  app.user = "ann";
  app.resources = cluster.resources;
  app.app_config = cluster.app_config;
  const auto translation = Translated(app);
  EXPECT_THAT(translation.problems, ::testing::IsEmpty());
  ASSERT_EQ(translation.job.roles.size(), 3u);
  EXPECT_EQ(translation.job.roles[0].instances.min, 1);
  EXPECT_EQ(translation.job.roles[1].memory_bytes, int64_t{4} << 30);
  EXPECT_EQ(translation.job.roles[2].memory_bytes, int64_t{1} << 30);
  EXPECT_EQ(translation.job.roles[2].instances.min, 5);
  EXPECT_THAT(translation.job.roles[2].command.shell, ::testing::StartsWith("python mnist.py --ps_hosts="));
  EXPECT_EQ(translation.job.tensorboard_logdir, "hdfs:///user/ann/.slider/cluster/tf1/checkpoints");
}

TEST(SliderYtensorflow, ReportsMistakes) {
  EXPECT_THAT(ReadTensorflowCluster({"c.json", R"({"commandConfig": {}, "appconfig": {}})"}, "").problems,
              ElementsAreArray({"c.json:1: commandConfig.app.name: missing; write for example app.name: \"mnist\"",
                                "c.json:1: appconfig: unknown key; did you mean 'appConfig'?"}));
}

}  // namespace
}  // namespace howdah::compat::slider
