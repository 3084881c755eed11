#include "howdah/compat/slider/translate.h"

#include <gmock/gmock.h>

#include "testing.h"

namespace howdah::compat::slider {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

// The keys and values of resources.default.json in app-packages/tensorflow of Slider.
constexpr char kTensorflowResources[] = R"({
 "schema": "http://example.org/specification/v2.0.0", "metadata": {}, "global": {},
 "components": {
  "slider-appmaster": {},
  "ps": {"yarn.role.priority": "1", "yarn.component.instances": "2", "yarn.memory": "2048", "yarn.vcores": "1",
         "yarn.container.failure.threshold": "0"},
  "chiefworker": {"yarn.role.priority": "2", "yarn.component.instances": "1", "yarn.memory": "4096",
                  "yarn.vcores": "1", "yarn.container.failure.threshold": "0"},
  "worker": {"yarn.role.priority": "3", "yarn.component.instances": "5", "yarn.memory": "2048", "yarn.vcores": "1",
             "yarn.container.failure.threshold": "0"},
  "tensorboard": {"yarn.role.priority": "4", "yarn.component.instances": "1", "yarn.memory": "4096",
                  "yarn.vcores": "1"}}})";

// The keys of appConfig.default.json of the same package.
constexpr char kTensorflowConfig[] = R"({
  "schema": "http://example.org/specification/v2.0.0", "metadata": {},
  "global": {
    "site.global.hadoop.conf": "/etc/hadoop/conf",
    "site.global.yarn.cgroup.root": "/hadoop-yarn",
    "site.global.user.scripts.entry": "train.py",
    "site.global.user.checkpoint.prefix": "hdfs://nn/user/${USER_NAME}/.slider/cluster",
    "site.global.user.name": "${USER_NAME}",
    "site.global.zookeeper.quorum": "${ZK_HOST}",
    "site.global.docker.image": "ytensorflow:0.2.1",
    "site.global.ps.port": "${ps.ALLOCATED_PORT}{PER_CONTAINER}",
    "site.global.chiefworker.port": "${chiefworker.ALLOCATED_PORT}{PER_CONTAINER}",
    "site.global.worker.port": "${worker.ALLOCATED_PORT}{PER_CONTAINER}",
    "site.global.tensorboard.port": "${tensorboard.ALLOCATED_PORT}{PER_CONTAINER}"}})";

// The parts of metainfo.json of the same package.
constexpr char kTensorflowMetainfo[] = R"({"schemaVersion": "2.1", "application": {
  "name": "tensorflow", "version": "0.1.1",
  "exportGroups": [{"name": "ps", "exports": [{"name": "host_port", "value": "${ps_HOST}:${site.global.ps.port}"}]}],
  "components": [
    {"name": "ps", "compExports": "ps-host_port",
     "commandScript": {"script": "scripts/tensorflow.py", "scriptType": "PYTHON"}},
    {"name": "chiefworker", "commandScript": {"script": "scripts/tensorflow.py", "scriptType": "PYTHON"}},
    {"name": "worker", "commandScript": {"script": "scripts/tensorflow.py", "scriptType": "PYTHON"}},
    {"name": "tensorboard", "commandScript": {"script": "scripts/tensorflow.py", "scriptType": "PYTHON"}}],
  "packages": [{"type": "folder", "name": "files"}]}})";

// The command is that of tensorflow_service.py in the package. The chiefworker is worker 0.
constexpr char kTensorflowJob[] = R"(
name: app
source: /pkg/package/files
env: {USER_NAME: ann}
checkpoint: {dir: "hdfs://nn/user/ann/.slider/cluster/app/checkpoints"}
tensorboard: {logdir: "hdfs://nn/user/ann/.slider/cluster/app/checkpoints"}
roles:
  ps:
    kind: service
    instances: 2
    memory: 2GiB
    restart: 5
    command: >-
      python train.py --ps_hosts="$HOWDAH_HOSTS_PS" --worker_hosts="$HOWDAH_HOSTS_CHIEFWORKER,$HOWDAH_HOSTS_WORKER"
      --job_name=ps --task_index=$HOWDAH_TASK_INDEX
      --ckp_dir=hdfs://nn/user/ann/.slider/cluster/app/checkpoints --work_dir="$PWD"
  chiefworker:
    memory: 4GiB
    restart: 5
    command: >-
      python train.py --ps_hosts="$HOWDAH_HOSTS_PS" --worker_hosts="$HOWDAH_HOSTS_CHIEFWORKER,$HOWDAH_HOSTS_WORKER"
      --job_name=worker --task_index=$HOWDAH_TASK_INDEX
      --ckp_dir=hdfs://nn/user/ann/.slider/cluster/app/checkpoints --work_dir="$PWD"
  worker:
    instances: 5
    memory: 2GiB
    restart: 5
    command: >-
      python train.py --ps_hosts="$HOWDAH_HOSTS_PS" --worker_hosts="$HOWDAH_HOSTS_CHIEFWORKER,$HOWDAH_HOSTS_WORKER"
      --job_name=worker --task_index=$((HOWDAH_TASK_INDEX + 1))
      --ckp_dir=hdfs://nn/user/ann/.slider/cluster/app/checkpoints --work_dir="$PWD"
)";

// A package of the TensorFlow kind with one worker and further options.
Files OneWorker(const std::string& options, const std::string& global = "") {
  return {R"({"global": {)" + global + R"(}, "components": {"worker": {"yarn.role.priority": "1",
    "yarn.component.instances": 1)" +
              (options.empty() ? "" : ", ") + options + "}}}",
          R"({"global": {"site.global.user.scripts.entry": "t.py", "site.global.user.checkpoint.prefix": "/ckpt"}})"};
}

jobspec::RoleSpec FirstRole(const common::Translation& translation) {
  EXPECT_THAT(translation.problems, IsEmpty());
  return translation.job.roles.empty() ? jobspec::RoleSpec() : translation.job.roles.front();
}

TEST(SliderTensorflow, PackageWithItsDefaultFiles) {
  const auto translation = Translated(Files{kTensorflowResources, kTensorflowConfig, kTensorflowMetainfo});
  EXPECT_THAT(translation.problems, IsEmpty());
  EXPECT_EQ(translation.job, Job(kTensorflowJob)) << jobspec::DescribeEffective(translation.job);
  const std::string of_tensorboard = " (resources.json) has no effect: Howdah runs the TensorBoard of a job by itself";
  EXPECT_THAT(NotesOf(translation),
              ElementsAre("tensorboard.yarn.memory" + of_tensorboard, "tensorboard.yarn.vcores" + of_tensorboard,
                          "site.global.hadoop.conf (appConfig.json) has no effect: tasks have the Hadoop configuration "
                          "of their node",
                          "site.global.yarn.cgroup.root (appConfig.json) has no effect: YARN limits the containers "
                          "itself",
                          "site.global.zookeeper.quorum (appConfig.json) has no effect: Howdah needs no ZooKeeper",
                          "site.global.docker.image (appConfig.json) has no effect: the flag --docker is not given"));
}

TEST(SliderTensorflow, MetainfoIsOptional) {
  EXPECT_EQ(Translated(Files{kTensorflowResources, kTensorflowConfig}).job, Job(kTensorflowJob));
}

TEST(SliderTensorflow, WorkersAreNumberedFromZeroWithoutChiefworker) {
  const jobspec::RoleSpec worker = FirstRole(Translated(OneWorker("")));
  EXPECT_EQ(worker.command.shell,
            "python t.py --ps_hosts=\"\" --worker_hosts=\"$HOWDAH_HOSTS_WORKER\" --job_name=worker "
            "--task_index=$HOWDAH_TASK_INDEX --ckp_dir=/ckpt/app/checkpoints --work_dir=\"$PWD\"");
}

TEST(SliderTensorflow, ZippedPackageStartsInItsFiles) {
  Application app = Read(OneWorker(""));
  app.package.path = "/pkg.zip";
  app.package.zipped = true;
  const auto translation = Translated(app);
  EXPECT_EQ(translation.job.source, "/pkg.zip");
  EXPECT_THAT(FirstRole(translation).command.shell, HasSubstr("cd package/files || exit 1\nexec python t.py "));
}

TEST(SliderTensorflow, DockerIsUsedWithTheFlag) {
  Application app = Read({kTensorflowResources, kTensorflowConfig});
  app.docker = true;
  const auto translation = Translated(app);
  EXPECT_EQ(translation.job.docker->image, "ytensorflow:0.2.1");
  EXPECT_THAT(NotesOf(translation), Not(Contains(HasSubstr("docker.image"))));
}

TEST(SliderResources, OptionsOfAComponent) {
  const std::string threshold = R"("yarn.container.failure.threshold": )",
                    window = R"("yarn.container.failure.window.)";
  const struct {
    std::string options;
    const char* expected;  // the role's keys
  } rows[] = {
      {"", "memory: 256MiB, restart: 5"},
      {R"("yarn.memory": "max", "yarn.vcores": "max")", "memory: 12GiB, vcores: 8, restart: 5"},
      {R"("yarn.memory": 1000, "yarn.vcores": 3)", "memory: 1000MiB, vcores: 3, restart: 5"},
      {R"("yarn.label.expression": "gpu")", "memory: 256MiB, node_label: gpu, restart: 5"},
      {R"("yarn.component.placement.policy": "4")", "memory: 256MiB, max_per_node: 1, restart: 5"},
      {R"("yarn.component.placement.policy": "2")", "memory: 256MiB, restart: 5"},
      {R"("yarn.component.placement.policy": "16")", "memory: 256MiB, restart: 5"},
      {threshold + "3", "memory: 256MiB, restart: {max: 3, window: 6h}"},
      {threshold + "3, " + window + R"(hours": "0")", "memory: 256MiB, restart: 3"},
      {threshold + "3, " + window + R"(days": "1", )" + window + R"(minutes": "30")",
       "memory: 256MiB, restart: {max: 3, window: 1830m}"},
      {threshold + R"("-1")", "memory: 256MiB, restart: 5"},
  };
  for (const auto& row : rows) {
    const jobspec::RoleSpec role = FirstRole(Translated(OneWorker(row.options)));
    jobspec::RoleSpec expected = Job("roles: {worker: {command: x, " + std::string(row.expected) + "}}").roles.front();
    expected.command = role.command;
    EXPECT_EQ(role, expected) << row.options;
  }
}

TEST(SliderResources, OptionsOfTheGlobalSectionAreDefaults) {
  const jobspec::RoleSpec role =
      FirstRole(Translated(OneWorker(R"("yarn.vcores": 2)", R"("yarn.memory": "1024", "yarn.vcores": "4")")));
  EXPECT_EQ(role.memory_bytes, int64_t{1} << 30);
  EXPECT_EQ(role.vcores, 2);
}

TEST(SliderResources, AppmasterHasMemoryAndVcores) {
  Files files = OneWorker("");
  files.resources.insert(files.resources.rfind("\"worker\""),
                         R"("slider-appmaster": {"yarn.memory": "2048", "yarn.vcores": "2", "yarn.disk.size": 7},)");
  const auto translation = Translated(files);
  EXPECT_EQ(translation.job.am.memory_bytes, int64_t{2} << 30);
  EXPECT_EQ(translation.job.am.vcores, 2);
  EXPECT_THAT(NotesOf(translation), ElementsAre("slider-appmaster.yarn.disk.size (resources.json) has no effect: only "
                                                "for Slider's own application master"));
}

TEST(SliderResources, ComponentsNamedByMaxAreElastic) {
  Application app = Read({kTensorflowResources, kTensorflowConfig});
  app.maxima = {{"worker", 8}};
  const auto translation = Translated(app);
  EXPECT_THAT(translation.problems, IsEmpty());
  EXPECT_EQ(translation.job.roles[0].instances, (jobspec::Instances{2, 2}));
  EXPECT_EQ(translation.job.roles[2].instances, (jobspec::Instances{5, 8}));
  app.maxima = {{"worker", 4}, {"chiefworker", 2}, {"workers", 9}, {"tensorboard", 2}};
  EXPECT_THAT(Translated(app).problems,
              ElementsAre("--max worker=4: is less than the 5 instances of resources.json",
                          HasSubstr("--max chiefworker=2: the other workers are numbered after the chiefworker"),
                          "--max workers=9: no component of this name has instances; did you mean 'worker'?",
                          "--max tensorboard=2: no component of this name has instances"));
}

TEST(SliderResources, StrictPlacementIsNoted) {
  EXPECT_THAT(NotesOf(Translated(OneWorker(R"("yarn.component.placement.policy": "1")"))),
              ElementsAre("yarn.component.placement.policy (resources.json) has no effect: the policy 1 of worker "
                          "needs the nodes of earlier instances, of which Howdah keeps no history"));
}

}  // namespace
}  // namespace howdah::compat::slider
