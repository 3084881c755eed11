// What goes wrong in a simulated world, as data.
#pragma once

#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::testing::sim {

// Chances are of one occasion, named by the field; 0: never.
struct Faults {
  std::string_view name;

  // The network and the AM's queue.
  Duration latency = std::chrono::milliseconds(5);  // of a message, at most
  double message_late = 0;  // a message takes up to late_by longer, and all behind it on its connection
  Duration late_by = std::chrono::seconds(3);
  double message_twice = 0;

  // The place.
  Duration grant_delay = std::chrono::milliseconds(200);  // at most
  double place_stalls = 0;                                // a grant is followed by a while in which nothing is granted
  double grant_twice = 0;                                 // the same grant is told twice
  double grant_surplus = 0;                               // one container more than was asked
  double place_refuses = 0;                               // a request can never be satisfied
  double container_lost = 0;                              // a granted container is preempted or lost at some time
  double warned = 0;                                      // ... and the AM is told some seconds before
  double node_lost = 0;                                   // a node dies at some time, and all its containers

  // Executors.
  double launch_fails = 0;  // it ends before it registers
  double launch_slow = 0;   // it takes up to a minute to register
  double never_registers = 0;
  double executor_killed = 0;  // at some time after it registered
  double falls_silent = 0;     // at some time after it registered: nothing arrives from it or at it any more
  double disconnects = 0;      // at some time after it registered; it comes back

  // People and clocks.
  double stop_requested = 0;   // of a job, at some time; half of them twice
  double scale_requested = 0;  // of a job, several times
  double am_dies = 0;          // of a job, for good
  double am_replaced = 0;      // of a job, several times: it dies, and another one goes on
  double am_loses_tail = 0;    // of a job: its AM's node is lost, and with it what the AM was told last
  double orders_lost = 0;      // of a step: the AM dies before it has carried out what follows, and another one goes on
  double clock_jumps = 0;      // of a job's AM, several times, both ways
};

// Every named profile, the calm one first.
const std::vector<Faults>& FaultProfiles();

}  // namespace howdah::testing::sim
