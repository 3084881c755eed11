#include "howdah/frameworks/horovod/elastic_rendezvous.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace howdah::frameworks::horovod {
namespace {

constexpr std::string_view kRanks = "/rank_and_size/", kContacts = "/worker_addresses/", kGlobal = "/global/";
constexpr size_t kContactBytes = size_t{64} << 10;
constexpr std::string_view kNoRanks = "-1,-1,-1,-1,-1,-1";  // the answer to a process that is not in the job any more

std::string KeyOf(const RankAssignment& ranks) { return ranks.host + ":" + std::to_string(ranks.local_rank); }

std::string ToText(const RankAssignment& ranks) {
  std::string text;
  for (const int number :
       {ranks.rank, ranks.size, ranks.local_rank, ranks.local_size, ranks.cross_rank, ranks.cross_size}) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

// Whether the request puts the first key that a process publishes in its generation. Newer and older versions of gloo
// use different keys.
bool IsFirstPut(const KeyValueStore::Request& request, const RankAssignment& ranks) {
  if (request.method != "PUT" || !request.path.starts_with(kGlobal)) return false;
  const std::string rank = std::to_string(ranks.rank);
  const std::string_view key = std::string_view(request.path).substr(kGlobal.size());
  return key == rank || key == "rank_" + rank;
}

// Whether the request deletes the last key that a process deletes. A process deletes its keys once it is connected with
// all others. The last key belongs to the process set of all processes, in the scope across machines.
bool IsLastDelete(const KeyValueStore::Request& request, const RankAssignment& ranks) {
  const std::string scope = "/cross_" + std::to_string(ranks.local_rank) + "_process_set_hash_";
  return request.method == "DELETE" && request.path.starts_with(scope) &&
         request.path.ends_with("/" + std::to_string(ranks.cross_rank));
}

}  // namespace

bool ElasticRendezvous::Member::rejoining() const {
  return std::all_of(processes.begin(), processes.end(), [](const Process& process) { return process.rank_request; });
}

// Begins a generation unless it has begun already: discards the values of the previous generation, and the attempts
// that are not rejoining.
std::vector<KeyValueStore::Answer> ElasticRendezvous::Begin(int generation) {
  if (generation == generation_) return {};
  generation_ = generation;
  std::vector<Answer> answers = store_.Clear();
  for (Member& member : members_) {
    if (member.rejoining()) continue;
    for (Process& process : member.processes) {
      if (process.rank_request) answers.push_back({*process.rank_request, 200, std::string(kNoRanks)});
    }
  }
  std::erase_if(members_, [](const Member& member) { return !member.rejoining(); });
  return answers;
}

ElasticRendezvous::Member* ElasticRendezvous::Find(TaskId task, int attempt) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return member.task == task && member.attempt == attempt;
  });
  return found == members_.end() ? nullptr : &*found;
}

std::vector<KeyValueStore::Answer> ElasticRendezvous::Start(int generation, TaskId task, int attempt,
                                                            std::vector<RankAssignment> ranks) {
  if (Find(task, attempt) != nullptr) return {};
  std::vector<Answer> answers = Begin(generation);
  Member member{.task = task, .attempt = attempt, .generation = generation, .processes = {}, .reported = {}};
  for (RankAssignment& process : ranks) {
    member.processes.push_back({.ranks = std::move(process), .contact = {}, .rank_request = {}});
  }
  members_.push_back(std::move(member));
  return answers;
}

std::vector<KeyValueStore::Answer> ElasticRendezvous::Rejoin(int generation, TaskId task, int attempt,
                                                             std::vector<RankAssignment> ranks) {
  std::vector<Answer> answers = Begin(generation);
  Member* member = Find(task, attempt);
  if (member == nullptr) return answers;
  member->generation = generation;
  member->reported.reset();
  for (size_t i = 0; i < std::min(ranks.size(), member->processes.size()); ++i) {
    Process& process = member->processes[i];
    ranks[i].host = std::move(process.ranks.host);  // the host name of a process never changes
    process.ranks = std::move(ranks[i]);
    process.ready = process.joined = false;
    if (process.rank_request) {
      answers.push_back({*std::exchange(process.rank_request, std::nullopt), 200, ToText(process.ranks)});
    }
  }
  return answers;
}

ElasticRendezvous::Output ElasticRendezvous::OnRequest(RequestId id, const Request& request, Instant now) {
  const KeyValueStore::Request& http = request.http;
  const std::string_view path = http.path;
  if (http.method == "GET" && path.starts_with(kRanks)) return OnRankRequest(id, path.substr(kRanks.size()));
  if (http.method == "PUT" && path.starts_with(kContacts)) {
    return OnContact(id, path.substr(kContacts.size()), request);
  }
  Output output{store_.OnRequest(id, http, now), {}};
  if (http.method == "GET") return output;
  UpdateProcesses(
      [&](Process& process) {
        process.ready = process.ready || IsFirstPut(http, process.ranks);
        process.joined = process.joined || IsLastDelete(http, process.ranks);
      },
      output);
  return output;
}

ElasticRendezvous::Output ElasticRendezvous::OnRankRequest(RequestId id, std::string_view key) {
  for (Member& member : members_) {
    for (Process& process : member.processes) {
      if (KeyOf(process.ranks) != key) continue;
      Output output;
      // The process has repeated its request, so it has lost the connection of the earlier one.
      if (process.rank_request) output.answers.push_back({*process.rank_request, 404, ""});
      process.rank_request = id;
      ReportStep(member, output);
      return output;
    }
  }
  return {{{id, 200, std::string(kNoRanks)}}, {}};
}

ElasticRendezvous::Output ElasticRendezvous::OnContact(RequestId id, std::string_view key, const Request& request) {
  if (request.http.body.size() > kContactBytes) return {{{id, 413, ""}}, {}};
  Output output{{{id, 200, ""}}, {}};
  UpdateProcesses(
      [&](Process& process) {
        if (KeyOf(process.ranks) == key) process.contact = Contact{request.peer, request.http.body};
      },
      output);
  return output;
}

// Applies `update` to the processes of this generation.
template <typename Update>
void ElasticRendezvous::UpdateProcesses(Update update, Output& output) {
  for (Member& member : members_) {
    if (member.generation != generation_ || member.rejoining()) continue;
    for (Process& process : member.processes) update(process);
    ReportStep(member, output);
  }
}

void ElasticRendezvous::ReportStep(Member& member, Output& output) {
  using Step = StepReached::Step;
  const auto all = [&](auto is) { return std::all_of(member.processes.begin(), member.processes.end(), is); };
  std::optional<Step> step;
  if (all([](const Process& process) { return process.ready; })) step = Step::kReady;
  if (all([](const Process& process) { return process.joined && process.contact; })) step = Step::kJoined;
  if (member.rejoining()) step = Step::kRejoining;
  if (!step || step == member.reported) return;
  member.reported = step;
  output.steps.push_back({member.task, member.attempt, *step});
}

const ElasticRendezvous::Contact* ElasticRendezvous::ContactOf(TaskId task, int attempt) const {
  for (const Member& member : members_) {
    if (member.task != task || member.attempt != attempt || member.processes.empty()) continue;
    const auto& contact = member.processes.front().contact;
    return contact ? &*contact : nullptr;
  }
  return nullptr;
}

}  // namespace howdah::frameworks::horovod
