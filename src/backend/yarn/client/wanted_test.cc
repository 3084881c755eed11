#include "wanted.h"

#include <gmock/gmock.h>

#include "howdah/autoscale/scaler.h"
#include "published.h"
#include "refusals.h"

namespace howdah::backend::yarn::client {
namespace {

using admission::Resources;
using autoscale::Wanted;
using testing::ElementsAre;
using testing::IsEmpty;

const Resources kAm{1024, 1, 0, {}};

admission::Tasks Of(int64_t count, int64_t mib) { return {count, {mib, 1, 0, {}}}; }

// One job of Howdah, as the reports and the page of the ResourceManager show it.
struct Scene {
  std::vector<std::string> tags;
  bool runs = true;    // its first gang was complete
  int containers = 1;  // with that of the AM
  int64_t held_mib = 1024;
  std::vector<std::pair<std::string, admission::Tasks>> pending;  // with the label
  std::string label;                                              // of the job
};

const std::string kId = "application_1700000000000_0001";

std::vector<Wanted> WantedIn(const Scene& scene, bool elastic_max = false) {
  QueueReports reports;
  auto& report = reports.applications.emplace_back();
  const hadoop::yarn::ApplicationId id{1'700'000'000'000, 1};
  *report.mutable_applicationid() = hadoop::yarn::ToProto(id);
  *report.mutable_currentapplicationattemptid() = hadoop::yarn::ToProto(hadoop::yarn::AttemptId{id, 1});
  report.set_queue("root.ml");
  report.set_appnodelabelexpression(scene.label);
  for (const std::string& tag : scene.tags) report.add_applicationtags(tag);
  if (scene.runs) report.set_progress(kProgressOfRunningJob);
  report.mutable_app_resource_usage()->set_num_used_containers(scene.containers);
  *report.mutable_app_resource_usage()->mutable_used_resources() =
      hadoop::yarn::ToProto(hadoop::yarn::Resource{scene.held_mib, scene.containers, {}});
  LiveApplication application{.id = kId, .type = kApplicationType, .queue = "ml", .am_host = "n1", .pending = {}};
  for (const auto& [label, tasks] : scene.pending) {
    application.pending.push_back({.id = kId, .queue = "ml", .label = label, .tasks = {tasks}, .whole = false});
  }
  return WantedOf(reports, {application}, elastic_max);
}

// The tasks that wait, with their labels.
std::vector<std::pair<std::string, admission::Tasks>> TasksIn(const Scene& scene, bool elastic_max = false) {
  std::vector<std::pair<std::string, admission::Tasks>> all;
  for (const Wanted& wanted : WantedIn(scene, elastic_max)) {
    for (const admission::Tasks& tasks : wanted.tasks) all.emplace_back(wanted.label, tasks);
  }
  return all;
}

TEST(Wanted, WaitingGangIsWantedWithItsApplicationMaster) {
  const auto wanted = WantedIn({.tags = {"howdah-gang:2x4096m1c"},
                                .runs = false,
                                .containers = 0,
                                .held_mib = 0,
                                .pending = {{"", Of(1, 1024)}}});
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted[0].id, kId);
  EXPECT_EQ(wanted[0].queue, "ml");
  EXPECT_TRUE(wanted[0].whole);
  EXPECT_EQ(wanted[0].am, kAm);
  EXPECT_THAT(wanted[0].tasks, ElementsAre(Of(2, 4096), admission::Tasks{1, kAm}));
}

TEST(Wanted, JobWantsWhatItRequestsOnceItRuns) {
  const struct {
    const char* name;
    Scene scene;
    std::vector<std::pair<std::string, admission::Tasks>> wanted;
  } rows[] = {
      {"workers after a setup role",
       {.tags = {"howdah-gang:1x1024m1c"}, .pending = {{"", Of(8, 16384)}}},
       {{"", Of(8, 16384)}}},
      {"workers of the same size as the setup role",
       {.tags = {"howdah-gang:1x1024m1c"}, .containers = 2, .held_mib = 2048, .pending = {{"", Of(7, 1024)}}},
       {{"", Of(7, 1024)}}},
      {"three of four tasks have ended", {.tags = {"howdah-gang:4x1024m1c"}, .containers = 2, .held_mib = 2048}, {}},
      {"a container is lost",
       {.tags = {"howdah-gang:4x1024m1c"}, .containers = 4, .held_mib = 4096, .pending = {{"", Of(1, 1024)}}},
       {{"", Of(1, 1024)}}},
      {"a role with a label of its own",
       {.tags = {"howdah-gang:1x1024m1c"}, .containers = 2, .held_mib = 2048, .pending = {{"gpu", Of(4, 8192)}}},
       {{"gpu", Of(4, 8192)}}},
      {"a role with a label of its own, in a gang that is incomplete",
       {.tags = {"howdah-gang:2x1024m1c"}, .runs = false, .pending = {{"", Of(2, 1024)}, {"gpu", Of(4, 8192)}}},
       {{"", Of(2, 1024)}, {"gpu", Of(4, 8192)}}},
      {"all roles have labels of their own",
       {.tags = {}, .runs = false, .pending = {{"gpu", Of(4, 8192)}}},
       {{"gpu", Of(4, 8192)}}},
  };
  for (const auto& row : rows) EXPECT_EQ(TasksIn(row.scene), row.wanted) << row.name;
}

TEST(Wanted, OptionalTasksAreWantedOnlyIfTheProviderFileSaysSo) {
  const std::vector<std::string> elastic = {"howdah-gang:2x4096m1c", "howdah-gang:optional:6x4096m1c"};
  const std::vector<std::string> prepared = {"howdah-gang:1x4096m1c", "howdah-gang:optional:6x4096m1c"};
  const struct {
    const char* name;
    Scene scene;
    std::vector<std::pair<std::string, admission::Tasks>> wanted;
  } rows[] = {
      {"all needed tasks run",
       {.tags = elastic, .containers = 3, .held_mib = 9216, .pending = {{"", Of(6, 4096)}}},
       {}},
      {"one of the needed tasks is lost",
       {.tags = elastic, .containers = 2, .held_mib = 5120, .pending = {{"", Of(7, 4096)}}},
       {{"", Of(1, 4096)}}},
      {"a needed task is lost when the role cannot grow any more",
       {.tags = elastic, .containers = 2, .held_mib = 5120, .pending = {{"", Of(1, 4096)}}},
       {{"", Of(1, 4096)}}},
      {"an elastic role of two to eight tasks after a setup role of the same size",
       {.tags = prepared, .pending = {{"", Of(8, 4096)}}},
       {{"", Of(2, 4096)}}},
      {"the scheduler counts no vcores, so requests have one",
       {.tags = {"howdah-gang:2x4096m4c", "howdah-gang:optional:6x4096m4c"},
        .containers = 3,
        .held_mib = 9216,
        .pending = {{"gpu", Of(6, 4096)}}},
       {}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(TasksIn(row.scene), row.wanted) << row.name;
    EXPECT_EQ(TasksIn(row.scene, /*elastic_max=*/true), row.scene.pending) << row.name;
  }
}

TEST(Wanted, NodesKeepTheirVcoresIfTheSchedulerDoesNotCountThem) {
  autoscale::ClusterSeen seen;
  seen.nodes = {{.name = "n1:1", .host = "n1", .total = {8192, 4, 0, {}}, .used = {6144, 6, 0, {}}, .containers = 6}};
  seen.wanted = {{.id = kId, .queue = "ml", .tasks = {Of(1, 2048)}, .am = kAm}};
  ForgetVcores(seen);
  EXPECT_EQ(seen.wanted[0].tasks[0].each.vcores, 0);
  EXPECT_EQ(seen.wanted[0].am.vcores, 0);
  // An autoscaler learns the size of its nodes, and a client compares tasks with what that publishes.
  autoscale::Policy policy;
  policy.primary = {0, 6, std::nullopt};
  autoscale::Provider provider;
  provider.primary = autoscale::NodeGroup{.hosts = ".*"};
  autoscale::Scaler scaler(policy, provider, autoscale::Mode::kGangs, {.prefix = "t"});
  scaler.Step(autoscale::MachinesListed{{{.id = "1", .host = "n1"}}}, Instant());
  scaler.Step(seen, Instant());
  ClusterFacts facts;
  AddGrowth(scaler.Published(Instant()), Instant(), facts);
  ASSERT_EQ(facts.growth.size(), 1U);
  EXPECT_EQ(facts.growth[0].node, (hadoop::yarn::Resource{8192, 4, {}}));
  facts.queue = {.name = "ml", .exists = true};
  facts.allowed_queues = {"root.ml"};
  facts.nodes = {{"n2", 1, "/r", "", "RUNNING", "", {1024, 1, {}}, {}}};
  jobspec::JobSpec spec;
  spec.roles.emplace_back().memory_bytes = int64_t{4} << 30;
  EXPECT_THAT(RefusalsOf(spec, facts), IsEmpty());
}

}  // namespace
}  // namespace howdah::backend::yarn::client
