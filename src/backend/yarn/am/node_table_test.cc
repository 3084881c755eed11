#include "node_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

using namespace ::hadoop::yarn;
using testing::ElementsAre;

NodeReportProto Report(const std::string& host, int port, NodeStateProto state, int64_t memory = 1024) {
  NodeReportProto report;
  report.mutable_nodeid()->set_host(host);
  report.mutable_nodeid()->set_port(port);
  report.set_node_state(state);
  report.set_rackname("/r");
  report.mutable_capability()->set_memory(memory);
  return report;
}

NodeReportProto WithAttribute(NodeReportProto report, const std::string& name, const std::string& value) {
  auto& attribute = *report.add_node_attributes();
  attribute.mutable_attributekey()->set_attributeprefix("rm.yarn.io");
  attribute.mutable_attributekey()->set_attributename(name);
  attribute.set_attributevalue(value);
  return report;
}

// The names and sizes of the nodes: "a:1024".
std::vector<std::string> NamesOf(const NodeList& list, const hadoop::yarn::AllocationOptions& options = {}) {
  std::vector<std::string> names;
  for (const auto& node : list.Named(hadoop::yarn::Allocation(options))) {
    names.push_back(node.name + " " + std::to_string(node.total.memory_mib));
  }
  return names;
}

const std::vector<CandidateNode> kNodes = {{"a", 1, "/r", "", {1024, 1, {}}}, {"b", 1, "/r", "", {1024, 1, {}}}};

TEST(NodeList, ChangesAreTakenOver) {
  NodeList list(kNodes);
  EXPECT_TRUE(list.Change(Report("c", 1, NS_RUNNING)));
  EXPECT_FALSE(list.Change(Report("a", 1, NS_RUNNING, 2048)));
  EXPECT_THAT(NamesOf(list), ElementsAre("b 1024", "c 1024", "a 2048"));
  for (const auto state : {NS_LOST, NS_UNHEALTHY, NS_DECOMMISSIONING}) {
    EXPECT_FALSE(list.Change(Report("c", 1, state)));
    EXPECT_THAT(NamesOf(list), ElementsAre("b 1024", "a 2048"));
    EXPECT_TRUE(list.Change(Report("c", 1, NS_RUNNING)));
  }
}

// With YARN's default port 0, a restarted NodeManager has another port. The old one is lost after ten minutes.
TEST(NodeList, HostOfRestartedNodeManagerStaysInTheList) {
  NodeList list(kNodes);
  EXPECT_TRUE(list.Change(Report("a", 2, NS_RUNNING, 2048)));
  EXPECT_THAT(NamesOf(list), ElementsAre("a 2048", "b 1024"));
  EXPECT_THAT(NamesOf(list, {.ports_in_names = true}), ElementsAre("a:1 1024", "b:1 1024", "a:2 2048"));
  EXPECT_FALSE(list.Change(Report("a", 1, NS_LOST)));
  EXPECT_THAT(NamesOf(list), ElementsAre("b 1024", "a 2048"));
  EXPECT_FALSE(list.Change(Report("a", 2, NS_LOST)));
  EXPECT_THAT(NamesOf(list), ElementsAre("b 1024"));
}

TEST(NodeList, ListIsReplacedByRunningNodes) {
  NodeList list(kNodes);
  list.Replace({Report("a", 1, NS_LOST), Report("b", 1, NS_RUNNING), Report("c", 1, NS_RUNNING)});
  EXPECT_THAT(NamesOf(list), ElementsAre("b 1024", "c 1024"));
}

TEST(NodeList, AttributesComeFromQueriesAndAreKept) {
  NodeList list({});
  list.Replace({WithAttribute(Report("a", 1, NS_RUNNING), "gen", "v100")});
  list.Change(Report("a", 1, NS_RUNNING, 2048));
  const auto nodes = list.Named(hadoop::yarn::Allocation());
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].total.memory_mib, 2048);
  EXPECT_EQ(nodes[0].attributes, (hadoop::yarn::NodeAttributes{{"rm.yarn.io/gen", "v100"}}));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
