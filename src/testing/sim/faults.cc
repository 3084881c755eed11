#include "howdah/testing/sim/faults.h"

namespace howdah::testing::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const std::vector<Faults> kProfiles = {
    {.name = "calm"},
    {.name = "slow backend",
     .latency = milliseconds(50),
     .message_late = 0.02,
     .grant_delay = seconds(4),
     .grants_stall = 0.15,
     .grant_twice = 0.05,
     .grant_surplus = 0.1,
     .requests_refused = 0.03,
     .launch_slow = 0.05},
    {.name = "late messages",
     .latency = milliseconds(400),
     .message_late = 0.15,
     .message_twice = 0.1,
     .grant_twice = 0.05},
    {.name = "flaky executors",
     .message_late = 0.02,
     .launch_fails = 0.08,
     .launch_slow = 0.1,
     .never_registers = 0.04,
     .executor_killed = 0.08,
     .falls_silent = 0.05,
     .disconnects = 0.15},
    {.name = "lost nodes",
     .message_late = 0.02,
     .grant_delay = seconds(1),
     .container_lost = 0.1,
     .reclaim_announced = 0.5,
     .node_lost = 0.25},
    {.name = "user requests", .message_twice = 0.05, .stop_requested = 0.6, .scale_requested = 0.6},
    {.name = "jumping clocks", .message_late = 0.05, .executor_killed = 0.03, .clock_jumps = 0.5},
    {.name = "replaced masters",
     .latency = milliseconds(50),
     .message_late = 0.05,
     .message_twice = 0.05,
     .container_lost = 0.05,
     .launch_fails = 0.03,
     .launch_slow = 0.03,
     .executor_killed = 0.05,
     .falls_silent = 0.02,
     .stop_requested = 0.1,
     .scale_requested = 0.3,
     .am_replaced = 0.6,
     .am_loses_tail = 0.4,
     .orders_lost = 0.02},
    {.name = "dying masters", .message_late = 0.05, .executor_killed = 0.03, .am_dies = 0.8},
    {.name = "chaos",
     .latency = milliseconds(300),
     .message_late = 0.1,
     .message_twice = 0.1,
     .grant_delay = seconds(3),
     .grants_stall = 0.1,
     .grant_twice = 0.1,
     .grant_surplus = 0.15,
     .requests_refused = 0.01,
     .container_lost = 0.05,
     .reclaim_announced = 0.3,
     .node_lost = 0.1,
     .launch_fails = 0.04,
     .launch_slow = 0.1,
     .never_registers = 0.02,
     .executor_killed = 0.04,
     .falls_silent = 0.03,
     .disconnects = 0.1,
     .stop_requested = 0.15,
     .scale_requested = 0.4,
     .am_dies = 0.05,
     .am_replaced = 0.1,
     .am_loses_tail = 0.2,
     .orders_lost = 0.002,
     .clock_jumps = 0.2},
};

}  // namespace

const std::vector<Faults>& FaultProfiles() { return kProfiles; }

}  // namespace howdah::testing::sim
