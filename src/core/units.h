// The units of a job. Each unit owns its fields. The units call each other directly, so that actions and journal
// entries appear in the order of the decisions.
#pragma once

#include "assembly.h"
#include "attempts.h"
#include "containers.h"
#include "context.h"
#include "coordinators.h"
#include "ending.h"
#include "growth.h"
#include "monitor.h"
#include "phase.h"
#include "placements.h"
#include "recorder.h"
#include "recovery.h"
#include "rendezvous.h"
#include "requests.h"
#include "roster.h"
#include "scaling.h"
#include "token_lifetime.h"
#include "unfinished_roles.h"
#include "unready_roles.h"

namespace howdah::core {

// The units that request, hold and release containers.
struct Allocation {
  explicit Allocation(Units& units);
  Containers containers;
  Requests requests;
  Assembly assembly;
  Placements placements;
};

// The units that decide which tasks take part in the job.
struct Membership {
  explicit Membership(Units& units);
  Scaling scaling;
  Growth growth;
  Coordinators coordinators;
};

struct Units {
  Units(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed);
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  Context context;
  Phase phase;
  Roster roster;
  Recorder recorder;
  Allocation allocation;
  Attempts attempts;
  Monitor monitor;
  Recovery recovery;
  Ending ending;
  UnfinishedRoles unfinished_roles;
  UnreadyRoles unready_roles;
  TokenLifetime token_lifetime;
  Membership membership;
  Rendezvous rendezvous;
};

}  // namespace howdah::core
