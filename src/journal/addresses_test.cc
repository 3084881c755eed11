#include "howdah/journal/addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::journal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Type = core::TaskChanged::Type;

// A job with a running ps, a worker that is ready, and a second worker without a container.
class AddressesTest : public testing::Test {
 protected:
  AddressesTest() {
    core::JobSubmitted submitted{.id = "job-1", .name = "tf", .on = "yarn", .user = "ann"};
    submitted.roles = {{.name = "ps"}, {.name = "worker"}};
    job_.Apply({At(0), submitted});
    Change("ps", 0, Type::kReady, core::TaskState::kReady, {.container = "container_1", .host = "node1", .port = 4001});
    Change("worker", 0, Type::kReady, core::TaskState::kReady,
           {.container = "container_2", .host = "node2", .port = 4002});
    Change("worker", 1, Type::kPending, core::TaskState::kPending, {});
    Change("ps", 0, Type::kStarted, core::TaskState::kRunning, {.started = At(12)});
  }
  static Instant At(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }
  struct Facts {
    std::optional<std::string> container = {}, host = {};
    std::optional<int> port = {};
    std::optional<Instant> started = {};
  };
  void Change(const char* role, int index, Type type, core::TaskState state, const Facts& facts) {
    core::TaskChanged change{.type = type, .role = role, .index = index, .state = state};
    change.container = facts.container;
    change.host = facts.host;
    change.port = facts.port;
    change.started = facts.started;
    job_.Apply({At(10), change});
  }

  JobView job_;
};

TEST_F(AddressesTest, TasksThatRunHaveAddresses) {
  EXPECT_THAT(AddressesOf(job_), ElementsAre(Pair("ps", ElementsAre(Address{0, "node1", "container_1", 4001}))));
  Change("worker", 0, Type::kStarted, core::TaskState::kRunning, {.started = At(20)});
  EXPECT_EQ(AddressesOf(job_).at("worker").front().port, 4002);
}

TEST_F(AddressesTest, TaskThatWaitsForAContainerHasNone) {
  Change("ps", 0, Type::kExited, core::TaskState::kFailed, {});
  EXPECT_THAT(AddressesOf(job_), IsEmpty());
  Change("ps", 0, Type::kPending, core::TaskState::kPending, {});
  Change("ps", 0, Type::kStarted, core::TaskState::kRunning, {.started = At(30)});
  EXPECT_THAT(AddressesOf(job_), IsEmpty()) << "the address of the lost container is not used again";
}

// Field names and their order of significance: Slider's classes PublishedExports and ExportEntry.
TEST_F(AddressesTest, ExportsOfARoleHaveSlidersFormat) {
  EXPECT_EQ(SliderExports(job_, "ps"),
            "{\"description\":\"ps\",\"updated\":1795243512000,\"updatedTime\":\"Sat Nov 21 06:45:12 UTC 2026\","
            "\"entries\":{\"host_port\":[{\"value\":\"node1:4001\",\"containerId\":\"container_1\",\"tag\":\"0\","
            "\"level\":\"component\"}]}}\n");
}

TEST_F(AddressesTest, ExportsHaveAllRoles) {
  const auto exports = SliderExports(job_, "");
  ASSERT_TRUE(exports);
  EXPECT_THAT(*exports, testing::StartsWith("{\"exports\":{\"ps\":{"));
  EXPECT_THAT(*exports, testing::HasSubstr("\"worker\":{\"description\":\"worker\""));
  EXPECT_THAT(*exports, testing::HasSubstr("\"host_port\":[]"));
  EXPECT_EQ(SliderExports(job_, "evaluator"), std::nullopt);
}

// The keys are those of Slider's ConfTree, ResourceKeys and StatusKeys; the values are texts, as in Slider.
TEST_F(AddressesTest, ResourcesHaveSlidersFormat) {
  EXPECT_EQ(SliderResources(job_, {{"ps", int64_t{2} << 30, 1}, {"worker", int64_t{512} << 20, 4}}),
            "{\"schema\":\"http://example.org/specification/v2.0.0\",\"metadata\":{},\"global\":{},"
            "\"credentials\":{},\"components\":{"
            "\"ps\":{\"yarn.role.priority\":\"1\",\"yarn.component.instances\":\"1\",\"yarn.memory\":\"2048\","
            "\"yarn.vcores\":\"1\",\"yarn.component.instances.requesting\":\"0\","
            "\"yarn.component.instances.actual\":\"1\",\"yarn.component.instances.started\":\"1\","
            "\"yarn.component.instances.completed\":\"0\",\"yarn.component.instances.failed\":\"0\"},"
            "\"worker\":{\"yarn.role.priority\":\"2\",\"yarn.component.instances\":\"2\",\"yarn.memory\":\"512\","
            "\"yarn.vcores\":\"4\",\"yarn.component.instances.requesting\":\"2\","
            "\"yarn.component.instances.actual\":\"0\",\"yarn.component.instances.started\":\"0\","
            "\"yarn.component.instances.completed\":\"0\",\"yarn.component.instances.failed\":\"0\"}}}\n");
}

}  // namespace
}  // namespace howdah::journal
