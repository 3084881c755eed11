// The meeting point of elastic Horovod's processes, which go from one world to the next without starting again: a
// KeyValueStore for each world, and beside it what horovodrun's driver answers. A process that leaves its world asks
// for its place in the next (GET /rank_and_size/HOST:LOCAL_RANK), and is answered when it is given one. (horovod
// 0.28.1, common/gloo/gloo_context.cc and runner/elastic.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/frameworks/horovod/key_value_store.h"

namespace howdah::frameworks::horovod {

// A process's place in a world: what it finds in HOROVOD_HOSTNAME, HOROVOD_RANK and so on.
struct Seat {
  std::string host;  // no other attempt of a task ever has it
  int rank = 0, size = 0;
  int local_rank = 0, local_size = 0;
  int cross_rank = 0, cross_size = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

class HorovodWorlds {
 public:
  using RequestId = KeyValueStore::RequestId;
  using Answer = KeyValueStore::Answer;
  struct Request {
    KeyValueStore::Request http;
    std::string peer;  // the IP address of who asks
  };
  // An attempt of a task has come so far, with all its processes.
  struct Met {
    enum class Step {
      kArrived,  // they wait for the others of the world that they were started in
      kJoined,   // they are connected with all others, and have said that they can leave for another world
      kWaits,    // they have left, and wait for their seats
    };
    TaskId task;
    int attempt = 0;
    Step step = Step::kArrived;
    friend bool operator==(const Met&, const Met&) = default;
  };
  struct Output {
    std::vector<Answer> answers;
    std::vector<Met> met;
  };
  // How a process can be told something.
  struct Contact {
    std::string peer;  // the IP address that it came from
    std::string body;  // what it has put of itself: base64 of ReadNoticeAddress's argument
  };

  // limit: as KeyValueStore's.
  explicit HorovodWorlds(size_t limit) : store_(limit, std::nullopt) {}

  // Processes of the attempt are started with these seats, by local rank. Again for the same attempt: nothing.
  std::vector<Answer> Start(int generation, TaskId task, int attempt, std::vector<Seat> seats);
  // The attempt, which waits, has these seats.
  std::vector<Answer> Rejoin(int generation, TaskId task, int attempt, std::vector<Seat> seats);
  Output OnRequest(RequestId id, const Request& request, Instant now);
  // Of the first process of an attempt; nullptr: there is none.
  const Contact* ContactOf(TaskId task, int attempt) const;

 private:
  struct Process {
    Seat seat;
    bool arrived = false, joined = false;
    std::optional<Contact> contact;
    std::optional<RequestId> asks;  // for its next seat
  };
  struct Member {
    TaskId task;
    int attempt = 0;
    int generation = 0;  // of its world
    std::vector<Process> processes;
    std::optional<Met::Step> told;

    bool waits() const;
  };
  std::vector<Answer> Begin(int generation);
  Member* Find(TaskId task, int attempt);
  Output AskForSeat(RequestId id, std::string_view key);
  Output PutContact(RequestId id, std::string_view key, const Request& request);
  template <typename Take>
  void Note(Take take, Output& output);
  static void Tell(Member& member, Output& output);

  KeyValueStore store_;  // of the world
  int generation_ = -1;
  std::vector<Member> members_;
};

}  // namespace howdah::frameworks::horovod
