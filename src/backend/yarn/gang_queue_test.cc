#include "howdah/backend/yarn/gang_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

using ::hadoop::yarn::ApplicationReportProto;
using testing::ElementsAre;

jobspec::JobSpec SpecOf(const std::string& text) {
  jobspec::JobSpec spec;
  const auto role = [&](const std::string& name, int count, int64_t memory_mib) -> jobspec::RoleSpec& {
    jobspec::RoleSpec& added = spec.roles.emplace_back();
    added.name = name;
    added.instances = {count, count};
    added.memory_bytes = memory_mib << 20;
    added.vcores = 1;
    return added;
  };
  if (text == "training") {
    role("worker", 2, 4096).gpus = 1;
    role("ps", 1, 2000);
  } else if (text == "stages") {
    role("prepare", 1, 512).kind = jobspec::RoleKind::kSetup;
    role("worker", 4, 1024);
  } else if (text == "elastic") {
    role("worker", 2, 1024).instances = {2, 8};
    role("helper", 1, 1024);
  }
  return spec;
}

TEST(GangTag, NeedsOfTheFirstGangArePublished) {
  jobspec::JobSpec training = SpecOf("training");
  EXPECT_EQ(GangTag(training, 1), "howdah-gang:2x4096m1c1g+1x2000m1c");
  EXPECT_EQ(GangTag(training, 1024), "howdah-gang:2x4096m1c1g+1x2048m1c") << "the scheduler rounds up";
  training.timeouts.run = std::chrono::hours(1);
  EXPECT_EQ(GangTag(training, 1), "howdah-gang:2x4096m1c1g+1x2000m1c;run=3600");
  training.roles[1].node_label = "fast";
  EXPECT_EQ(GangTag(training, 1), "howdah-gang:2x4096m1c1g;run=3600") << "the queue of the other label does not count";
  training.start = jobspec::StartMode::kFree;
  EXPECT_EQ(GangTag(training, 1), std::nullopt);
  EXPECT_EQ(GangTag(SpecOf("stages"), 1), "howdah-gang:1x512m1c") << "the workers start when the data are prepared";
  EXPECT_EQ(GangTag(SpecOf("elastic"), 1), "howdah-gang:3x1024m1c") << "optional tasks do not count";
}

TEST(OptionalTag, TasksThatAnElasticRoleCanDoWithoutArePublished) {
  EXPECT_EQ(OptionalTag(SpecOf("training"), 1), std::nullopt);
  jobspec::JobSpec elastic = SpecOf("elastic");
  EXPECT_EQ(OptionalTag(elastic, 2048), "howdah-gang:optional:6x2048m1c") << "the scheduler rounds up";
  elastic.start = jobspec::StartMode::kFree;
  elastic.roles[0].node_label = "fast";
  EXPECT_EQ(OptionalTag(elastic, 1), "howdah-gang:optional:6x1024m1c") << "no queue, and any label";
  ApplicationReportProto report;
  for (const char* tag : {"team-a", "howdah-gang:3x1024m1c"}) report.add_applicationtags(tag);
  EXPECT_TRUE(OptionalTasksOf(report).empty());
  report.add_applicationtags("howdah-gang:optional:6x1024m1c");
  EXPECT_THAT(OptionalTasksOf(report), ElementsAre(admission::Tasks{6, {1024, 1, 0, {}}}));
}

// Reports of a cluster with one node of eight tasks.
class Reports {
 public:
  Reports() {
    auto& node = reports.nodes.emplace_back();
    *node.mutable_nodeid() = hadoop::yarn::ToProto(hadoop::yarn::NodeId{"n1", 45454});
    *node.mutable_capability() = hadoop::yarn::ToProto(hadoop::yarn::Resource{8192, 8, {}});
    *node.mutable_used() = hadoop::yarn::ToProto(hadoop::yarn::Resource{2048, 2, {}});
  }

  ApplicationReportProto& Add(int number, const std::string& tag, int containers, int64_t mib) {
    ApplicationReportProto& report = reports.applications.emplace_back();
    const hadoop::yarn::ApplicationId id{1'700'000'000'000, number};
    *report.mutable_applicationid() = hadoop::yarn::ToProto(id);
    *report.mutable_currentapplicationattemptid() = hadoop::yarn::ToProto(hadoop::yarn::AttemptId{id, 1});
    report.set_user("ann");
    report.set_queue("ml");
    report.add_applicationtags("team-a");
    report.add_applicationtags(tag);
    report.set_appnodelabelexpression("<Not set>");
    report.mutable_app_resource_usage()->set_num_used_containers(containers);
    *report.mutable_app_resource_usage()->mutable_used_resources() =
        hadoop::yarn::ToProto(hadoop::yarn::Resource{mib, containers, {}});
    return report;
  }

  QueueReports reports;
};

TEST(GangQueue, JobsAndNodesComeFromTheReports) {
  Reports scene;
  scene.Add(2, "howdah-gang:3x1024m1c;run=60", 1, 1024);
  scene.Add(1, "howdah-gang:2x1024m1c", 0, 0).mutable_priority()->set_priority(4);
  scene.Add(3, "another-tag", 5, 5120);
  scene.Add(4, "howdah-gang:1x1024m1c", 2, 2048).set_progress(kProgressOfRunningJob);
  scene.Add(5, "howdah-gang:1x1024m1c", 1, 1024).set_appnodelabelexpression("fast");
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  ASSERT_EQ(cluster.jobs.size(), 3u) << "without the one that has no gang tag, and the one of another label";
  const admission::Job& waiting = cluster.jobs[0];
  EXPECT_EQ(waiting.id, "application_1700000000000_0002");
  EXPECT_TRUE(waiting.waits());
  EXPECT_EQ(waiting.demand.run, std::chrono::seconds(60));
  ASSERT_TRUE(waiting.am);
  EXPECT_EQ(waiting.am->size, (admission::Resources{1024, 1, 0, {}}));
  EXPECT_FALSE(waiting.may_step_aside) << "the node of its AM is not known";
  EXPECT_FALSE(cluster.jobs[1].am);
  EXPECT_TRUE(ComesBefore(cluster.jobs[1], waiting)) << "priority";
  EXPECT_FALSE(cluster.jobs[2].waits()) << "its AM reports progress";
  ASSERT_EQ(cluster.nodes.size(), 1u);
  EXPECT_EQ(cluster.nodes[0].name, "n1:45454");
  EXPECT_EQ(cluster.nodes[0].free, (admission::Resources{6144, 6, 0, {}}));
}

TEST(GangQueue, TasksWithAContainerAreNotNeededAnyMore) {
  Reports scene;
  scene.Add(1, "howdah-gang:2x4096m1c1g+3x1024m1c", 3, 1024 + 2 * 1024);
  scene.Add(2, "howdah-gang:2x1024m1c", 3, 3072);
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  const admission::Resources small{1024, 1, 0, {}}, large{4096, 1, 1, {}};
  EXPECT_THAT(cluster.jobs[0].demand.tasks, ElementsAre(admission::Tasks{2, large}, admission::Tasks{1, small}));
  EXPECT_FALSE(cluster.jobs[1].waits()) << "it holds its whole gang; its AM has just been replaced";
}

TEST(GangQueue, RunningJobBeganAtTheLaunchOfItsFirstApplicationMaster) {
  Reports scene;
  auto& launched = scene.Add(1, "howdah-gang:1x1024m1c", 2, 2048);
  launched.set_progress(kProgressOfRunningJob);
  launched.set_starttime(60'000);
  launched.set_launchtime(90'000);
  auto& holds_all = scene.Add(2, "howdah-gang:1x1024m1c", 2, 2048);
  holds_all.set_starttime(60'000);
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  EXPECT_EQ(cluster.jobs[0].complete, Instant(std::chrono::seconds(90)));
  EXPECT_EQ(cluster.jobs[1].complete, Instant(std::chrono::seconds(60))) << "the launch is not known";
}

TEST(GangQueue, KnownApplicationMasterMayStepAside) {
  Reports scene;
  scene.Add(1, "howdah-gang:2x1024m1c", 1, 2048);
  scene.reports.ams["appattempt_1700000000000_0001_000001"] = {"n1:45454", {2048, 1, 0, {}}};
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  EXPECT_TRUE(cluster.jobs[0].may_step_aside);
  EXPECT_EQ(cluster.jobs[0].am->node, "n1:45454");
}

TEST(GangQueue, VcoresCountOnlyIfTheSchedulerCountsThem) {
  Reports scene;
  scene.Add(1, "howdah-gang:20x256m1c", 1, 1024);
  const admission::Cluster counted = ClusterOf(scene.reports, {.label = "", .counts_vcores = true});
  EXPECT_EQ(admission::Order(counted, Instant())[0].turn, admission::Turn::kTooLarge);
  const admission::Cluster memory_only = ClusterOf(scene.reports, {.label = "", .counts_vcores = false});
  EXPECT_EQ(admission::Order(memory_only, Instant())[0].turn, admission::Turn::kNext);
}

TEST(GangQueue, NodesOfASharedLabelCountForJobsWithoutALabel) {
  Reports scene;
  scene.reports.nodes[0].add_node_labels("fast");
  EXPECT_TRUE(ClusterOf(scene.reports, {}).nodes.empty());
  EXPECT_EQ(ClusterOf(scene.reports, {.label = "fast"}).nodes.size(), 1u);
  scene.reports.shared_labels.insert("fast");
  EXPECT_EQ(ClusterOf(scene.reports, {}).nodes.size(), 1u);
}

TEST(GangQueue, QueueMayGetTheRestOfItsMaximum) {
  Reports scene;
  scene.Add(1, "howdah-gang:2x1024m1c", 1, 1024);
  auto& info = scene.reports.queues["ml"];
  auto& partition = *info.add_queueconfigurationsmap();
  partition.set_partitionname("");
  *partition.mutable_queueconfigurations()->mutable_effectivemaxcapacity() =
      hadoop::yarn::ToProto(hadoop::yarn::Resource{4096, 4, {}});
  info.mutable_queuestatistics()->set_allocatedmemorymb(3072);
  info.mutable_queuestatistics()->set_allocatedvcores(3);
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  ASSERT_TRUE(cluster.limits.queue.contains("ml"));
  EXPECT_EQ(cluster.limits.queue.at("ml").memory_mib, 1024);
  EXPECT_EQ(cluster.limits.queue.at("ml").vcores, 1);
}

TEST(GangQueue, ExtremeReportsAreSafe) {
  Reports scene;
  scene.Add(1, "howdah-gang:99999x999999999999m", -5, INT64_MAX);
  scene.Add(2, "howdah-gang:1x1m", INT32_MAX, INT64_MIN);
  scene.reports.nodes.emplace_back();
  *scene.reports.nodes.front().mutable_capability() =
      hadoop::yarn::ToProto(hadoop::yarn::Resource{INT64_MAX, INT32_MAX, {}});
  const admission::Cluster cluster = ClusterOf(scene.reports, {});
  EXPECT_EQ(admission::Order(cluster, Instant()).size(), 2u);
}

}  // namespace
}  // namespace howdah::backend::yarn
