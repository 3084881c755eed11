#include "howdah/frameworks/horovod/horovod_worlds.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace howdah::frameworks::horovod {
namespace {

constexpr std::string_view kSeats = "/rank_and_size/", kContacts = "/worker_addresses/", kGlobal = "/global/";
constexpr size_t kContactBytes = size_t{64} << 10;
constexpr std::string_view kNoSeat = "-1,-1,-1,-1,-1,-1";  // the process has no place in the job any more

std::string KeyOf(const Seat& seat) { return seat.host + ":" + std::to_string(seat.local_rank); }

std::string ToText(const Seat& seat) {
  std::string text;
  for (const int number : {seat.rank, seat.size, seat.local_rank, seat.local_size, seat.cross_rank, seat.cross_size}) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

// The first that it puts for the others of its world: gloo's newer and older versions.
bool IsArrival(const KeyValueStore::Request& request, const Seat& seat) {
  if (request.method != "PUT" || !request.path.starts_with(kGlobal)) return false;
  const std::string rank = std::to_string(seat.rank);
  const std::string_view key = std::string_view(request.path).substr(kGlobal.size());
  return key == rank || key == "rank_" + rank;
}

// The last that it takes away when it is connected with all others: of the process set of all, across machines.
bool IsConnected(const KeyValueStore::Request& request, const Seat& seat) {
  const std::string scope = "/cross_" + std::to_string(seat.local_rank) + "_process_set_hash_";
  return request.method == "DELETE" && request.path.starts_with(scope) &&
         request.path.ends_with("/" + std::to_string(seat.cross_rank));
}

}  // namespace

bool HorovodWorlds::Member::waits() const {
  return std::all_of(processes.begin(), processes.end(), [](const Process& process) { return process.asks; });
}

// What was put for the last world is forgotten, and so is who does not wait for a place in this one.
std::vector<KeyValueStore::Answer> HorovodWorlds::Begin(int generation) {
  if (generation == generation_) return {};
  generation_ = generation;
  std::vector<Answer> answers = store_.Clear();
  for (Member& member : members_) {
    if (member.waits()) continue;
    for (Process& process : member.processes) {
      if (process.asks) answers.push_back({*process.asks, 200, std::string(kNoSeat)});
    }
  }
  std::erase_if(members_, [](const Member& member) { return !member.waits(); });
  return answers;
}

HorovodWorlds::Member* HorovodWorlds::Find(TaskId task, int attempt) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return member.task == task && member.attempt == attempt;
  });
  return found == members_.end() ? nullptr : &*found;
}

std::vector<KeyValueStore::Answer> HorovodWorlds::Start(int generation, TaskId task, int attempt,
                                                        std::vector<Seat> seats) {
  if (Find(task, attempt) != nullptr) return {};
  std::vector<Answer> answers = Begin(generation);
  Member member{.task = task, .attempt = attempt, .generation = generation, .processes = {}, .told = {}};
  for (Seat& seat : seats) member.processes.push_back({.seat = std::move(seat), .contact = {}, .asks = {}});
  members_.push_back(std::move(member));
  return answers;
}

std::vector<KeyValueStore::Answer> HorovodWorlds::Rejoin(int generation, TaskId task, int attempt,
                                                         std::vector<Seat> seats) {
  std::vector<Answer> answers = Begin(generation);
  Member* member = Find(task, attempt);
  if (member == nullptr) return answers;
  member->generation = generation;
  member->told.reset();
  for (size_t i = 0; i < std::min(seats.size(), member->processes.size()); ++i) {
    Process& process = member->processes[i];
    seats[i].host = std::move(process.seat.host);  // its name stays
    process.seat = std::move(seats[i]);
    process.arrived = process.joined = false;
    if (process.asks) answers.push_back({*std::exchange(process.asks, std::nullopt), 200, ToText(process.seat)});
  }
  return answers;
}

HorovodWorlds::Output HorovodWorlds::OnRequest(RequestId id, const Request& request, Instant now) {
  const KeyValueStore::Request& http = request.http;
  const std::string_view path = http.path;
  if (http.method == "GET" && path.starts_with(kSeats)) return AskForSeat(id, path.substr(kSeats.size()));
  if (http.method == "PUT" && path.starts_with(kContacts)) {
    return PutContact(id, path.substr(kContacts.size()), request);
  }
  Output output{store_.OnRequest(id, http, now), {}};
  if (http.method == "GET") return output;
  Note(
      [&](Process& process) {
        process.arrived = process.arrived || IsArrival(http, process.seat);
        process.joined = process.joined || IsConnected(http, process.seat);
      },
      output);
  return output;
}

HorovodWorlds::Output HorovodWorlds::AskForSeat(RequestId id, std::string_view key) {
  for (Member& member : members_) {
    for (Process& process : member.processes) {
      if (KeyOf(process.seat) != key) continue;
      Output output;
      if (process.asks) output.answers.push_back({*process.asks, 404, ""});  // it has lost that connection
      process.asks = id;
      Tell(member, output);
      return output;
    }
  }
  return {{{id, 200, std::string(kNoSeat)}}, {}};
}

HorovodWorlds::Output HorovodWorlds::PutContact(RequestId id, std::string_view key, const Request& request) {
  if (request.http.body.size() > kContactBytes) return {{{id, 413, ""}}, {}};
  Output output{{{id, 200, ""}}, {}};
  Note(
      [&](Process& process) {
        if (KeyOf(process.seat) == key) process.contact = Contact{request.peer, request.http.body};
      },
      output);
  return output;
}

// Of processes that are in the world something may have become true.
template <typename Take>
void HorovodWorlds::Note(Take take, Output& output) {
  for (Member& member : members_) {
    if (member.generation != generation_ || member.waits()) continue;
    for (Process& process : member.processes) take(process);
    Tell(member, output);
  }
}

void HorovodWorlds::Tell(Member& member, Output& output) {
  const auto all = [&](auto is) { return std::all_of(member.processes.begin(), member.processes.end(), is); };
  std::optional<Met::Step> step;
  if (all([](const Process& process) { return process.arrived; })) step = Met::Step::kArrived;
  if (all([](const Process& process) { return process.joined && process.contact; })) step = Met::Step::kJoined;
  if (member.waits()) step = Met::Step::kWaits;
  if (!step || step == member.told) return;
  member.told = step;
  output.met.push_back({member.task, member.attempt, *step});
}

const HorovodWorlds::Contact* HorovodWorlds::ContactOf(TaskId task, int attempt) const {
  for (const Member& member : members_) {
    if (member.task != task || member.attempt != attempt || member.processes.empty()) continue;
    const auto& contact = member.processes.front().contact;
    return contact ? &*contact : nullptr;
  }
  return nullptr;
}

}  // namespace howdah::frameworks::horovod
