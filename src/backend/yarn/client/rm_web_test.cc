// The pages as Hadoop 3.3.6 writes them, shortened.
#include "rm_web.h"

#include <gmock/gmock.h>

#include <tuple>

namespace howdah::backend::yarn::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RmWeb, PendingContainersOfApplications) {
  const auto applications = ParseApplications(R"({"apps":{"app":[
    {"id":"application_1_0001","applicationType":"SPARK","queue":"default","amHostHttpAddress":"n1.example.com:8042",
     "resourceRequests":[
       {"capability":{"memory":2048,"resourceInformations":{"resourceInformation":[
          {"name":"memory-mb","value":2048},{"name":"vcores","value":2},{"name":"yarn.io/gpu","value":1},
          {"name":"yarn.io/fpga","value":3}]},"vCores":2},
        "nodeLabelExpression":"gpu","numContainers":4,"resourceName":"*"},
       {"capability":{"memory":512,"vCores":1},"numContainers":2,"resourceName":"*"},
       {"capability":{"memory":2048,"vCores":2},"numContainers":4,"resourceName":"/default-rack"},
       {"capability":{"memory":1024,"vCores":1},"numContainers":0,"resourceName":"*"}]},
    {"id":"application_1_0002","applicationType":"HOWDAH","queue":"ml"}]}})");
  ASSERT_EQ(applications.size(), 2U);
  EXPECT_EQ(applications[0].type, "SPARK");
  EXPECT_EQ(applications[0].am_host, "n1.example.com");
  ASSERT_EQ(applications[0].pending.size(), 2U);
  const auto& [plain, gpu] = std::tie(applications[0].pending[0], applications[0].pending[1]);
  EXPECT_EQ(plain.label, "");
  EXPECT_EQ(plain.tasks, (std::vector<admission::Tasks>{{2, {512, 1, 0, {}}}}));
  EXPECT_EQ(gpu.label, "gpu");
  EXPECT_FALSE(gpu.whole);
  EXPECT_EQ(gpu.tasks, (std::vector<admission::Tasks>{{4, {2048, 2, 1, {{"yarn.io/fpga", 3}}}}}));
  EXPECT_THAT(applications[1].pending, IsEmpty());
  EXPECT_EQ(applications[1].am_host, "");
}

TEST(RmWeb, ListOfOneMayBeAnObject) {
  EXPECT_EQ(ParseApplications(R"({"apps":{"app":{"id":"application_1_0001"}}})").size(), 1U);
}

TEST(RmWeb, LimitsOfLeafQueues) {
  const auto queues = ParseQueues(R"({"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root",
    "queues":{"queue":[
      {"queueName":"ml",
       "capacities":{"queueCapacitiesByPartition":[
         {"partitionName":"","absoluteMaxCapacity":50.0,"maxAMLimitPercentage":20.0,
          "configuredMinResource":{"memory":0,"vCores":0,"resourceInformations":{"resourceInformation":[
            {"minimumAllocation":1024,"name":"memory-mb","value":0},{"minimumAllocation":2,"name":"vcores"}]}}},
         {"partitionName":"gpu","absoluteMaxCapacity":80.0,"maxAMLimitPercentage":100.0}]},
       "resources":{"resourceUsagesByPartition":[
         {"partitionName":"","used":{"memory":3072,"vCores":3},"amUsed":{"memory":1024,"vCores":1}},
         {"partitionName":"gpu","used":{"memory":8192,"vCores":4},"amUsed":{"memory":0,"vCores":0}}]}},
      {"queueName":"free","capacities":{"queueCapacitiesByPartition":[
         {"partitionName":"","absoluteMaxCapacity":100.0,"maxAMLimitPercentage":100.0}]}},
      {"queueName":"parent","absoluteMaxCapacity":100.0,"queues":{"queue":{"queueName":"child",
         "capacities":{"queueCapacitiesByPartition":{"partitionName":"","absoluteMaxCapacity":25.0}}}}}]}}}})");
  ASSERT_EQ(queues.size(), 2U);
  ASSERT_EQ(queues.at("").size(), 2U);
  const autoscale::QueueShare& ml = queues.at("").at("ml");
  EXPECT_DOUBLE_EQ(ml.most, 0.5);
  EXPECT_DOUBLE_EQ(ml.most_ams, 0.1);
  EXPECT_EQ(ml.unit, (admission::Resources{1024, 2, 0, {}}));
  EXPECT_EQ(ml.used, (admission::Resources{3072, 3, 0, {}}));
  EXPECT_EQ(ml.used_by_ams, (admission::Resources{1024, 1, 0, {}}));
  EXPECT_DOUBLE_EQ(queues.at("").at("child").most, 0.25);
  EXPECT_DOUBLE_EQ(queues.at("").at("child").most_ams, 1);
  EXPECT_DOUBLE_EQ(queues.at("gpu").at("ml").most, 0.8);
  EXPECT_EQ(queues.at("gpu").at("ml").used, (admission::Resources{8192, 4, 0, {}}));
}

TEST(RmWeb, OtherSchedulersHaveNoKnownLimits) {
  EXPECT_THAT(ParseQueues(R"({"scheduler":{"schedulerInfo":{"type":"fairScheduler"}}})"), IsEmpty());
}

TEST(RmWeb, ApplicationsOfANode) {
  EXPECT_THAT(*ParseNodeApplications(R"({"apps":{"app":[{"id":"a","state":"RUNNING"},{"id":"b"}]}})"),
              ElementsAre("a", "b"));
  EXPECT_THAT(*ParseNodeApplications(R"({"apps":null})"), IsEmpty());
  EXPECT_FALSE(ParseNodeApplications("{}"));
  EXPECT_FALSE(ParseNodeApplications("<html>"));
}

TEST(RmWeb, PropertyOfTheConfiguration) {
  EXPECT_EQ(ParseProperty(R"({"property":{"key":"k","value":"/etc/exclude","isFinal":false}})"), "/etc/exclude");
  EXPECT_EQ(ParseProperty("no"), "");
}

}  // namespace
}  // namespace howdah::backend::yarn::client
