#include "cluster_json.h"

#include <gtest/gtest.h>

#include <chrono>

#include "cluster_sampler.h"

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;
using backend::ApplicationInfo;
using backend::NodeInfo;
using backend::QueueInfo;

constexpr int64_t kGibibyte = int64_t{1} << 30;

Instant SampledAt(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }

index::query::RowPointer Row(const std::string& id, const std::string& queue) {
  index::query::JobRow row{.id = id, .name = "name of " + id, .user = "ann", .queue = queue, .reason = "full"};
  return std::make_shared<const index::query::JobRow>(row);
}

ApplicationInfo Application(const std::string& id, const std::string& user, const std::string& queue, bool running,
                            const backend::Amounts& used) {
  ApplicationInfo application{.id = id, .type = "SPARK", .name = "app", .user = user, .queue = queue};
  application.running = running;
  if (used.memory_bytes) application.containers = 1;
  application.used = used;
  return application;
}

QueueInfo Queue(const std::string& path, const std::string& parent, bool leaf, int64_t used_memory) {
  QueueInfo queue{.path = path, .parent = parent, .leaf = leaf};
  queue.used = {used_memory, 1, std::nullopt};
  return queue;
}

// root has the leaf queues ml and prod.
ClusterSample Sample() {
  ClusterSample sample{.at = SampledAt(0)};
  sample.info.queues = {Queue("root", "", false, 8 * kGibibyte), Queue("root.ml", "root", true, 8 * kGibibyte),
                        Queue("root.prod", "root", true, 0)};
  sample.info.applications = {Application("a1", "ann", "ml", true, {2 * kGibibyte, 2, 1}),
                              Application("a2", "bob", "root.ml", true, {4 * kGibibyte, 2, 0}),
                              Application("a3", "ann", "ml", false, {0, 0, 0}),
                              Application("a4", "carol", "prod", true, {})};
  return sample;
}

RowOfJob Jobs(const std::string& id) {
  return [id](const std::string& wanted) { return wanted == id ? Row(id, "ml") : nullptr; };
}

TEST(ClusterJson, StateHasItsAgeAndTheTimeOfTheLastAnswer) {
  ClusterState state;
  Json json = ClusterStateJson("yarn", state, SampledAt(5));
  EXPECT_EQ(json["state"], "loading");
  EXPECT_TRUE(json["at"].is_null() && json["age_seconds"].is_null() && json["since"].is_null());
  state.sample = std::make_shared<const ClusterSample>(Sample());
  json = ClusterStateJson("yarn", state, SampledAt(5));
  EXPECT_EQ(json["state"], "ok");
  EXPECT_EQ(json["age_seconds"], 5.0);
  EXPECT_TRUE(json["since"].is_null());
  state.problem = "connection refused";
  state.failing_since = SampledAt(1);
  json = ClusterStateJson("yarn", state, SampledAt(5));
  EXPECT_EQ(json["state"], "failing");
  EXPECT_EQ(json["detail"], "connection refused");
  EXPECT_EQ(json["since"], FormatInstant(SampledAt(1)));
  EXPECT_EQ(json["age_seconds"], 5.0);
}

TEST(ClusterJson, QueueListsItsUsersAndWaitingJobs) {
  const Json queues = QueuesJson(Sample(), {Row("j1", "ml"), Row("j2", ""), Row("j3", "root.prod")});
  ASSERT_EQ(queues.size(), 3u);
  const Json& ml = queues[1];
  EXPECT_EQ(ml["queue"], "root.ml");
  ASSERT_EQ(ml["held_by"].size(), 2u);
  EXPECT_EQ(ml["held_by"][0]["user"], "bob");
  EXPECT_EQ(ml["held_by"][0]["share"], 0.5);
  EXPECT_EQ(ml["held_by"][1]["user"], "ann");
  EXPECT_EQ(ml["held_by"][1]["share"], 0.25);
  EXPECT_EQ(ml["held_by"][1]["applications"], 2);
  EXPECT_EQ(ml["gpus"]["used"], 1);
  ASSERT_EQ(ml["waiting_jobs"].size(), 1u);
  EXPECT_EQ(ml["waiting_jobs"][0]["id"], "j1");
  EXPECT_EQ(ml["waiting_jobs"][0]["reason"], "full");
  const Json& prod = queues[2];
  EXPECT_TRUE(prod["held_by"][0]["share"].is_null()) << "the use of another user's application is not known";
  EXPECT_TRUE(prod["gpus"]["used"].is_null());
  EXPECT_EQ(prod["waiting_jobs"][0]["id"], "j3");
  EXPECT_EQ(queues[0]["waiting_jobs"].size(), 2u) << "a parent has the jobs of its children";
  EXPECT_TRUE(queues[0]["gpus"]["used"].is_null());
}

TEST(ClusterJson, ApplicationsAreSummedUpByTypeAndUser) {
  ClusterSample sample = Sample();
  sample.info.applications.push_back({.id = "j9", .type = "HOWDAH"});
  const Json list = ApplicationsJson(sample, Jobs("j9"));
  EXPECT_EQ(list[4]["user"], "ann") << "known from the row of the job";
  EXPECT_EQ(list[4]["name"], "name of j9");
  EXPECT_EQ(list[4]["reason"], "full");
  EXPECT_EQ(list[4]["job"], true);
  EXPECT_EQ(list[0]["job"], false);
  EXPECT_TRUE(list[3]["memory_bytes"].is_null());
  const Json users = ApplicationGroupsJson(list, "user");
  ASSERT_EQ(users.size(), 3u);
  EXPECT_EQ(users[0]["user"], "bob");
  EXPECT_EQ(users[0]["memory_bytes"], 4 * kGibibyte);
  EXPECT_EQ(users[1]["user"], "ann");
  EXPECT_TRUE(users[1]["memory_bytes"].is_null()) << "j9 has no known use";
  EXPECT_EQ(users[1]["running"], 1);
  EXPECT_EQ(users[1]["waiting"], 2);
  const Json types = ApplicationGroupsJson(list, "type");
  ASSERT_EQ(types.size(), 2u);
}

TEST(ClusterJson, ContainersOfOthersAreWhatIsLeft) {
  ClusterSample sample = Sample();
  sample.info.applications[0].master_host = "node7";
  sample.info.applications[1].master_host = "node7";
  NodeInfo node{.host = "node7", .containers = 5};
  NodeJobs jobs;
  jobs.tasks = {{"a1", "n", "worker", 0, 0, core::TaskState::kRunning, SampledAt(0)}};
  Json json = NodeJobsJson(jobs, node, sample, Jobs("a1"));
  EXPECT_EQ(json["masters"], Json::array({"a1"}));
  EXPECT_EQ(json["tasks"][0]["task"], "worker:0");
  EXPECT_EQ(json["others"], 3);
  node.containers = 1;
  EXPECT_EQ(NodeJobsJson(jobs, node, sample, Jobs("a1"))["others"], 0);
  node.containers = std::nullopt;
  EXPECT_TRUE(NodeJobsJson(jobs, node, sample, Jobs("a1"))["others"].is_null());
  node.containers = 5;
  jobs.complete = false;
  EXPECT_TRUE(NodeJobsJson(jobs, node, sample, Jobs("a1"))["others"].is_null());
}

TEST(ClusterJson, CsvHasOneLinePerObjectAndEmptyFieldsForUnknownValues) {
  NodeInfo node{.host = "a,b", .rack = "/r", .total = {kGibibyte, 4, std::nullopt}};
  const std::vector<std::string> fields = {"node", "rack", "memory_bytes.total", "gpus.total"};
  EXPECT_EQ(ClusterCsvTitles(fields), "backend,node,rack,memory_bytes_total,gpus_total\n");
  EXPECT_EQ(ClusterCsv("yarn", Json::array({NodeJson(node)}), fields), "yarn,\"a,b\",/r,1073741824,\n");
}

TEST(ClusterSampler, PauseDependsOnReadersAndCost) {
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/false, /*is_failing=*/false, 1ms), 60s);
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/false, /*is_failing=*/true, 1ms), 60s);
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/true, /*is_failing=*/false, 1ms), 3s);
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/true, /*is_failing=*/false, 500ms), 10s);
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/true, /*is_failing=*/false, 10s), 60s);
  EXPECT_EQ(PauseBetweenSamples(/*is_watched=*/true, /*is_failing=*/true, 10s), 5s);
}

}  // namespace
}  // namespace howdah::portal
