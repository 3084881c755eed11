// The rendezvous of elastic Horovod, in which processes move from one generation to the next without a restart. It has
// one KeyValueStore for each generation, and answers as horovodrun's driver does. A process that has left its
// generation requests its ranks in the next one (GET /rank_and_size/HOST:LOCAL_RANK). It receives the answer once the
// ranks are assigned. (horovod 0.28.1, common/gloo/gloo_context.cc and runner/elastic.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/frameworks/horovod/key_value_store.h"

namespace howdah::frameworks::horovod {

// The ranks of one process: the values of HOROVOD_HOSTNAME, HOROVOD_RANK and so on.
struct RankAssignment {
  std::string host;  // unique among all attempts of all tasks
  int rank = 0, size = 0;
  int local_rank = 0, local_size = 0;
  int cross_rank = 0, cross_size = 0;
  friend bool operator==(const RankAssignment&, const RankAssignment&) = default;
};

class ElasticRendezvous {
 public:
  using RequestId = KeyValueStore::RequestId;
  using Answer = KeyValueStore::Answer;
  struct Request {
    KeyValueStore::Request http;
    std::string peer;  // IP address of the client
  };
  // A step that all processes of an attempt have reached.
  struct StepReached {
    enum class Step {
      kReady,      // the processes wait for the others of their generation
      kJoined,     // the processes are connected with all others, and can be notified of changes
      kRejoining,  // the processes have left their generation, and wait for ranks in the next
    };
    TaskId task;
    int attempt = 0;
    Step step = Step::kReady;
    friend bool operator==(const StepReached&, const StepReached&) = default;
  };
  struct Output {
    std::vector<Answer> answers;
    std::vector<StepReached> steps;
  };
  // The address at which a process can be notified of membership changes.
  struct Contact {
    std::string peer;  // the IP address from which the process registered
    std::string body;  // base64 of the argument of ReadNoticeAddress()
  };

  // limit: see KeyValueStore.
  explicit ElasticRendezvous(size_t limit) : store_(limit, std::nullopt) {}

  // Must be called when the processes of an attempt are started with these ranks. `ranks` is in the order of local
  // ranks. Has no effect for an attempt that was started before.
  std::vector<Answer> Start(int generation, TaskId task, int attempt, std::vector<RankAssignment> ranks);
  // Assigns ranks to an attempt that is rejoining.
  std::vector<Answer> Rejoin(int generation, TaskId task, int attempt, std::vector<RankAssignment> ranks);
  Output OnRequest(RequestId id, const Request& request, Instant now);
  // Returns the contact of an attempt's first process, or nullptr if none is registered.
  const Contact* ContactOf(TaskId task, int attempt) const;

 private:
  struct Process {
    RankAssignment ranks;
    bool ready = false, joined = false;
    std::optional<Contact> contact;
    std::optional<RequestId> rank_request;  // the unanswered request for ranks in the next generation
  };
  struct Member {
    TaskId task;
    int attempt = 0;
    int generation = 0;
    std::vector<Process> processes;
    std::optional<StepReached::Step> reported;

    bool rejoining() const;
  };
  std::vector<Answer> Begin(int generation);
  Member* Find(TaskId task, int attempt);
  Output OnRankRequest(RequestId id, std::string_view key);
  Output OnContact(RequestId id, std::string_view key, const Request& request);
  template <typename Update>
  void UpdateProcesses(Update update, Output& output);
  static void ReportStep(Member& member, Output& output);

  KeyValueStore store_;  // the values of the current generation
  int generation_ = -1;
  std::vector<Member> members_;
};

}  // namespace howdah::frameworks::horovod
