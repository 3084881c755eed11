#include "refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::local {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGibibyte = int64_t{1} << 30;

Capacity Machine() { return {8 * kGibibyte, 4, {0, 1}}; }

jobspec::RoleSpec Role(const std::string& name, int instances, int64_t memory, int gpus = 0) {
  jobspec::RoleSpec role;
  role.name = name;
  role.instances = {instances, instances};
  role.memory_bytes = memory;
  role.gpus = gpus;
  return role;
}

jobspec::JobSpec Job(std::vector<jobspec::RoleSpec> roles) {
  jobspec::JobSpec spec;
  spec.roles = std::move(roles);
  return spec;
}

TEST(Refusals, FittingJobIsAccepted) {
  EXPECT_THAT(RefusalsOf(Job({Role("worker", 8, kGibibyte), Role("ps", 2, 0, 1)}), Machine()), IsEmpty());
}

TEST(Refusals, VcoresAreNotLimited) {
  auto role = Role("worker", 8, kGibibyte);
  role.vcores = 1000;
  EXPECT_THAT(RefusalsOf(Job({role}), Machine()), IsEmpty());
}

TEST(Refusals, TaskLargerThanTheMachineIsRefusedOncePerResource) {
  EXPECT_THAT(RefusalsOf(Job({Role("worker", 2, 9 * kGibibyte, 3)}), Machine()),
              ElementsAre(AllOf(HasSubstr("roles.worker: one task requests 9 GiB"), HasSubstr("offers 8 GiB")),
                          AllOf(HasSubstr("roles.worker: one task requests 3 GPUs"), HasSubstr("has 2"))));
}

TEST(Refusals, GangMustFitAsAWhole) {
  EXPECT_THAT(RefusalsOf(Job({Role("worker", 2, 3 * kGibibyte, 1), Role("ps", 1, 3 * kGibibyte, 1)}), Machine()),
              ElementsAre(AllOf(HasSubstr("the 3 tasks of the gang request 9 GiB"), HasSubstr("offers 8 GiB")),
                          AllOf(HasSubstr("request 3 GPUs"), HasSubstr("has 2"))));
}

TEST(Refusals, JobWithoutGangIsAcceptedIfEachTaskFits) {
  auto spec = Job({Role("worker", 20, 3 * kGibibyte, 1)});
  spec.start = jobspec::StartMode::kFree;
  EXPECT_THAT(RefusalsOf(spec, Machine()), IsEmpty());
}

TEST(Refusals, ElasticRoleIsCheckedWithItsMinimum) {
  auto role = Role("worker", 0, 3 * kGibibyte);
  role.instances = {2, 100};
  EXPECT_THAT(RefusalsOf(Job({role}), Machine()), IsEmpty());
}

TEST(Refusals, OverflowingSumIsRefused) {
  auto role = Role("worker", 2'000'000'000, 8 * kGibibyte);
  EXPECT_THAT(RefusalsOf(Job({role, Role("ps", 2'000'000'000, 8 * kGibibyte)}), Machine()),
              ElementsAre(HasSubstr("of the gang")));
}

TEST(Refusals, UrisAreRefused) {
  auto spec = Job({Role("worker", 1, kGibibyte)});
  spec.source = "hdfs:///src";
  spec.files = {{"/here/a.csv", "a.csv", false}, {"s3://bucket/b.csv", "b.csv", false}};
  spec.python_archive = "hdfs:///env.tar.gz";
  spec.checkpoint.dir = "hdfs:///ckpt";
  spec.tensorboard_logdir = "hdfs:///logs";
  EXPECT_THAT(RefusalsOf(spec, Machine()),
              ElementsAre(HasSubstr("source: "), HasSubstr("s3://bucket/b.csv"), HasSubstr("python.archive"),
                          HasSubstr("checkpoint.dir"), HasSubstr("tensorboard.logdir")));
}

TEST(Refusals, ClusterKeysAreIgnored) {
  auto spec = Job({});
  EXPECT_THAT(IgnoredOf(spec), IsEmpty());
  spec.queue = "ml";
  spec.priority = 3;
  spec.node_label = "gpu";
  EXPECT_THAT(IgnoredOf(spec),
              ElementsAre(HasSubstr("queue: ml"), HasSubstr("priority: 3"), HasSubstr("node_label: gpu")));
}

TEST(Refusals, TokensAreIgnored) {
  auto spec = Job({Role("worker", 1, kGibibyte)});
  spec.file_systems = {"hdfs://ns2"};
  EXPECT_THAT(IgnoredOf(spec), ElementsAre(HasSubstr("file_systems, tokens and kerberos: ignored")));
  spec.file_systems.clear();
  spec.tokens.to_tasks = {};
  EXPECT_THAT(IgnoredOf(spec), ElementsAre(HasSubstr("file_systems, tokens and kerberos: ignored")));
}

TEST(Refusals, HistoryOnAnotherFileSystemIsIgnored) {
  auto spec = Job({Role("worker", 1, kGibibyte)});
  spec.tony_history = "/data/tony";
  EXPECT_THAT(IgnoredOf(spec), IsEmpty());
  spec.tony_history = "hdfs://ns1/tony";
  EXPECT_THAT(IgnoredOf(spec), ElementsAre(HasSubstr("history.tony: hdfs://ns1/tony: ")));
}

TEST(Refusals, ContainerAndLocalityKeysAreIgnored) {
  auto spec = Job({Role("worker", 1, kGibibyte), Role("ps", 1, kGibibyte)});
  EXPECT_THAT(IgnoredOf(spec), IsEmpty());
  spec.docker.emplace();
  spec.docker->image = "python:3.11";
  spec.am.attempts = 1;
  spec.roles[0].resources = {{"yarn.io/fpga", 1}};
  spec.roles[0].locality.racks = {"/rack1"};
  spec.roles[1].node_label = "gpu";
  spec.roles[1].max_per_node = 1;
  EXPECT_THAT(RefusalsOf(spec, Machine()), IsEmpty());
  EXPECT_THAT(IgnoredOf(spec), ElementsAre(HasSubstr("docker: python:3.11"), HasSubstr("am: "),
                                           HasSubstr("roles.worker.resources: "), HasSubstr("roles.worker.locality: "),
                                           HasSubstr("roles.ps.node_label: "), HasSubstr("roles.ps.max_per_node: ")));
}

}  // namespace
}  // namespace howdah::backend::local
