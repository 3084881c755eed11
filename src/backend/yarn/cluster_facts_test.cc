#include "howdah/backend/yarn/cluster_facts.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

// The report that a ResourceManager gives to a user without the right to view the application
// (RMServerUtils.DUMMY_APPLICATION_RESOURCE_USAGE_REPORT).
::hadoop::yarn::ApplicationReportProto HiddenReport() {
  ::hadoop::yarn::ApplicationReportProto report;
  report.mutable_applicationid()->set_id(1);
  report.set_user("bob");
  report.set_yarn_application_state(::hadoop::yarn::RUNNING);
  auto& usage = *report.mutable_app_resource_usage();
  usage.set_num_used_containers(-1);
  usage.mutable_used_resources()->set_memory(-1);
  usage.mutable_used_resources()->set_virtual_cores(-1);
  return report;
}

TEST(ApplicationFacts, UseThatIsNotShownIsHiddenAndNotNegative) {
  const ApplicationFacts facts = FactsOf(HiddenReport());
  EXPECT_TRUE(facts.hidden && facts.running);
  EXPECT_EQ(facts.used, hadoop::yarn::Resource());
  EXPECT_EQ(facts.user, "bob");
}

TEST(QueueFacts, UseContainsHiddenApplicationsIfTheQueueReportsIt) {
  QueueFacts queue;
  queue.applications = {FactsOf(HiddenReport()), {"application_1_2", "ann", true, {64, 1, {{"yarn.io/gpu", 2}}}}};
  EXPECT_EQ(queue.used(), queue.visible_use());
  queue.allocated = hadoop::yarn::Resource{640, 3, {}};
  EXPECT_EQ(queue.used(), (hadoop::yarn::Resource{640, 3, {{"yarn.io/gpu", 2}}}));
}

TEST(QueueFacts, AllocationIsThatOfNodesWithoutLabel) {
  ::hadoop::yarn::QueueInfoProto info;
  EXPECT_EQ(FactsOf(info, "").allocated, std::nullopt);
  info.mutable_queuestatistics()->set_allocatedmemorymb(640);
  info.mutable_queuestatistics()->set_allocatedvcores(3);
  EXPECT_EQ(FactsOf(info, "").allocated, (hadoop::yarn::Resource{640, 3, {}}));
  EXPECT_EQ(FactsOf(info, "fast").allocated, std::nullopt);
}

}  // namespace
}  // namespace howdah::backend::yarn
