// The faults of a simulation, as a table of probabilities.
#pragma once

#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::testing::sim {

// Each probability applies once to each object that the field's name or comment mentions: each message, grant,
// container, executor, node or job. 0 means that the fault never occurs.
struct Faults {
  std::string_view name;

  // The network and the AM's event queue.
  Duration latency = std::chrono::milliseconds(5);  // upper limit for one message
  double message_late = 0;  // a message takes up to late_by longer, and delays all later ones on its connection
  Duration late_by = std::chrono::seconds(3);
  double message_twice = 0;

  // The backend.
  Duration grant_delay = std::chrono::milliseconds(200);  // upper limit of the time until a grant
  double grants_stall = 0;                                // after a grant, the backend grants nothing for a while
  double grant_twice = 0;                                 // the backend reports the same grant twice
  double grant_surplus = 0;                               // the backend grants one container more than requested
  double requests_refused = 0;                            // the backend refuses a request permanently
  double container_lost = 0;                              // a granted container is preempted or lost at some time
  double reclaim_announced = 0;                           // the backend announces the preemption some seconds earlier
  double node_lost = 0;                                   // a node fails at some time, with all its containers

  // Executors.
  double launch_fails = 0;  // the container ends before its executor registers
  double launch_slow = 0;   // registration takes up to a minute
  double never_registers = 0;
  double executor_killed = 0;  // the executor is killed at some time after registration
  double falls_silent = 0;  // at some time after registration, messages to and from the executor are lost from then on
  double disconnects = 0;   // at some time after registration; the executor reconnects

  // Users and clocks.
  double stop_requested = 0;   // per job, at some time; half of the requests are repeated
  double scale_requested = 0;  // per job, several times
  double am_dies = 0;          // per job, permanently
  double am_replaced = 0;      // per job, several times: the AM dies and another one resumes the job
  double am_loses_tail = 0;    // per job: the AM's node is lost, and with it the newest part of the event log
  // Per step: the AM dies before it performs the step's actions, and another one resumes the job.
  double orders_lost = 0;
  double clock_jumps = 0;  // the clock of a job's AM jumps, several times, forwards and backwards
};

// All profiles. The first has no faults.
const std::vector<Faults>& FaultProfiles();

}  // namespace howdah::testing::sim
