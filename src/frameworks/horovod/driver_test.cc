#include "howdah/frameworks/horovod/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/frameworks/common/testing.h"
#include "howdah/frameworks/horovod/horovod.h"

namespace howdah::frameworks::horovod {
namespace {

using common::At;
using common::JobOf;
using common::Lines;
using common::Role;
using jobspec::Framework;
using jobspec::RoleKind;
using testing::HasSubstr;

jobspec::JobSpec TonyJob(RoleKind driver_kind = RoleKind::kService) {
  jobspec::JobSpec spec = JobOf(Framework::kHorovod, {Role("worker"), Role("driver", driver_kind)});
  spec.tony_env = true;
  return spec;
}

const core::PeerGroup kCluster = {{{"n1", 1}, {"n0", 2}, {"n1", 3}}, {{"n2", 4}}};

std::string Slot(const std::string& host, int rank, int local_rank) {
  return R"({"hostname": ")" + host + R"(", "rank": ")" + std::to_string(rank) + R"(", "size": 3, "localRank": )" +
         std::to_string(local_rank) + R"(, "localSize": 2, "crossRank": "1", "crossSize": 2})";
}

TEST(HorovodDriver, OnlyTheServiceOfATonyJobWithHorovodIsADriver) {
  EXPECT_EQ(DriverOf(TonyJob()), 1);
  EXPECT_EQ(DriverOf(TonyJob(RoleKind::kSidecar)), std::nullopt);
  jobspec::JobSpec other = TonyJob();
  other.tony_env = false;
  EXPECT_EQ(DriverOf(other), std::nullopt);
  other = TonyJob();
  other.framework = Framework::kPytorch;
  EXPECT_EQ(DriverOf(other), std::nullopt);
}

TEST(HorovodDriver, DriverReceivesHostsAndWorkersReceiveItsAddress) {
  const jobspec::JobSpec spec = TonyJob();
  common::ProcessInfo info = At(1, 0);
  info.driver_output = "/w/driver-0";
  jobspec::EnvVars env;
  AddVariables({spec, kCluster, info}, env);
  EXPECT_THAT(Lines(env), HasSubstr("CLUSTER_WORKER_LIST=n1:2,n0:1\nDRIVER_OUTPUT_PATH=/w/driver-0\n"));
  env.clear();
  const common::ProcessInfo worker = At(0, 2);
  AddVariables({spec, kCluster, worker}, env);
  EXPECT_THAT(Lines(env), HasSubstr("HOROVOD_GLOO_RENDEZVOUS_ADDR=n2\n"));
  EXPECT_THAT(Lines(env), Not(HasSubstr("RANK=")));
  EXPECT_THAT(Lines(env), Not(HasSubstr("RENDEZVOUS_PORT")));
}

TEST(HorovodDriver, PortIsParsedFromTheNameOfThePlanFile) {
  EXPECT_EQ(PortOfPlanFile("9999____HOROVOD_RENDEZVOUS_SERVER____"), 9999);
  for (const char* other : {"____HOROVOD_RENDEZVOUS_SERVER____", "0____HOROVOD_RENDEZVOUS_SERVER____",
                            "70000____HOROVOD_RENDEZVOUS_SERVER____", "-1____HOROVOD_RENDEZVOUS_SERVER____",
                            "9999____HOROVOD_RENDEZVOUS_SERVER____.tmp", "plan.json"}) {
    EXPECT_EQ(PortOfPlanFile(other), std::nullopt) << other;
  }
}

TEST(HorovodDriver, ProcessGetsTheSlotOfItsPositionOnItsHost) {
  const auto plan = ReadDriverPlan("[" + Slot("n1", 2, 1) + "," + Slot("n0", 1, 0) + "," + Slot("n1", 0, 0) + "]");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto first = VariablesFromPlan(*plan, "n1", 0, 9999), second = VariablesFromPlan(*plan, "n1", 1, 9999);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(Lines(*first),
            "HOROVOD_GLOO_RENDEZVOUS_PORT=9999\nHOROVOD_RANK=0\nHOROVOD_SIZE=3\nHOROVOD_LOCAL_RANK=0\n"
            "HOROVOD_LOCAL_SIZE=2\nHOROVOD_CROSS_RANK=1\nHOROVOD_CROSS_SIZE=2\nHOROVOD_HOSTNAME=n1\n");
  EXPECT_THAT(Lines(*second), HasSubstr("HOROVOD_RANK=2\n"));
  const auto missing = VariablesFromPlan(*plan, "n0", 1, 9999);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("has 1 slots on n0, and this process needs number 2"));
  EXPECT_THAT(missing.error().message, HasSubstr("hosts of the plan: n0, n1"));
}

TEST(HorovodDriver, InvalidPlanIsAnError) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "must be a JSON list"},
      {"{}", "must be a JSON list"},
      {"[1]", "slot 0 of the driver's plan has no hostname"},
      {R"([{"hostname": 1}])", "has no hostname"},
      {R"([{"hostname": "a"}])", "needs rank, an integer from 0"},
      {R"([{"hostname": "a", "rank": -1}])", "needs rank"},
      {R"([{"hostname": "a", "rank": "x"}])", "needs rank"},
      {R"([{"hostname": "a", "rank": 99999999999}])", "needs rank"},
      {R"([{"hostname": "a", "rank": "0", "size": 1.5}])", "needs size"},
  };
  for (const auto& [text, message] : rows) {
    const auto plan = ReadDriverPlan(text);
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_THAT(plan.error().message, HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace howdah::frameworks::horovod
