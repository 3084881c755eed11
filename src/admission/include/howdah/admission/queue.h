// Decides which waiting job may request its gang, so that gangs do not block each other. Every application master
// computes the same answer from the same facts: there is no lock and no server. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/admission/gang_tag.h"
#include "howdah/admission/resources.h"
#include "howdah/base/time.h"

namespace howdah::admission {

struct Node {
  std::string name;
  Resources total;
  Resources free;  // what no container holds, of any application
};

// The container of an application master.
struct AmContainer {
  std::string node;
  Resources size;
};

// A job of Howdah that requests the node label in question. It waits while its first gang is incomplete.
struct Job {
  std::string id, user, queue;
  int priority = 0;  // of YARN: a higher one is served first
  Instant submitted;
  Demand demand;  // the tasks that it still needs, while it waits
  // The AM of a waiting job. nullopt: the ResourceManager has not started it yet, so the job needs am_size, too.
  std::optional<AmContainer> am;
  Resources am_size;
  int am_attempts = 0;  // that have been started; above 1 without an AM: the last one has stepped aside
  // The ResourceManager has not granted it all containers for some time, although there was room: a limit that is not
  // known here prevents it, such as the queue's share for AMs, the limit of its user, or constraints of its placement.
  bool is_late = false;
  bool may_step_aside = false;  // its AM may release its own container now (am.attempts, pauses between such steps)
  // A running job: the amount that it holds on each node, and the time when its gang was complete, or an earlier one.
  std::optional<Instant> complete;
  std::map<std::string, Resources> held;

  bool waits() const { return !complete; }
};

// The order of the queue: priority, then time of submission.
bool ComesBefore(const Job& job, const Job& other);

// The amounts that a queue and a user in it may still get. A missing entry means no limit.
struct Limits {
  std::map<std::string, Resources> queue;
  std::map<std::pair<std::string, std::string>, Resources> user;  // by queue and user
};

struct Cluster {
  std::vector<Node> nodes;
  std::vector<Job> jobs;
  Limits limits;
};

enum class Turn {
  kNext,        // first in order: requests its gang
  kFits,        // its gang fits beside everything that is reserved for the jobs ahead: requests its gang
  kBackfills,   // uses room that is reserved for a job ahead, because it ends before that job could start: requests
  kWaits,       // requests nothing
  kStepsAside,  // its AM releases its own container, because the first job in order lacks only that room, or share
  kTooLarge,    // can never start on the nodes that exist; does not hold up others, and requests nothing
};
bool MayRequest(Turn turn);

struct Place {
  std::string id;
  Turn turn = Turn::kWaits;
  Resources lacks;  // what the job's gang lacks in the room that it may use now
  // Whether the gang would fit into the free room if no waiting job were ahead: these jobs alone hold it up.
  bool fits_alone = false;
  std::optional<Instant> starts;   // the latest time at which it can start, as far as the limits of running jobs say
  std::vector<std::string> ahead;  // the first jobs before it that take room, in order
  size_t jobs_ahead = 0;           // the number of all of them
};

// Returns the place of each waiting job, in the order of the queue.
std::vector<Place> Order(const Cluster& cluster, Instant now);

// Formats the reason of a waiting job: "2 jobs are ahead in the queue 'ml': j7 (needs 4 × 16 GiB, 1 GPU; waits for 3
// GPUs) and j9". Returns "" for a job that may request its gang. id: one of the waiting jobs.
std::string ReasonText(const Cluster& cluster, const std::vector<Place>& places, const std::string& id);

}  // namespace howdah::admission
