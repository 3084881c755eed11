#include "scheduler_options.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

using namespace std::chrono_literals;

TEST(SchedulerOptions, ExpiryAndNamesOfNodesComeFromTheConfiguration) {
  hadoop::conf::Configuration configuration({nullptr, "ann", "/home/ann"});
  auto options = SchedulerOptionsOf(configuration, {"node1", 4711});
  EXPECT_EQ(options.host, "node1");
  EXPECT_EQ(options.rpc_port, 4711);
  EXPECT_EQ(options.expiry, Duration(10min));
  EXPECT_FALSE(options.allocation.ports_in_names);
  configuration.Set("yarn.am.liveness-monitor.expiry-interval-ms", "3000", "yarn-site.xml");
  configuration.Set("yarn.scheduler.include-port-in-node-name", "true", "yarn-site.xml");
  options = SchedulerOptionsOf(configuration, {"node1", 4711});
  EXPECT_EQ(options.expiry, Duration(3s));
  EXPECT_TRUE(options.allocation.ports_in_names);
}

}  // namespace
}  // namespace howdah::backend::yarn::am
