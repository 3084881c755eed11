#include "howdah/frameworks/xgboost/xgboost_tracker.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "howdah/base/number.h"

namespace howdah::frameworks::xgboost {
namespace {

using Json = nlohmann::json;

constexpr int32_t kMagic = 0xff99;
constexpr size_t kNumberBytes = 4;           // all numbers are int32, little-endian
constexpr int32_t kMessageLimit = 64 << 10;  // the longest messages are texts to print
enum Command { kStart = 1, kShutdown = 2, kError = 3, kPrint = 4 };

std::string Number(int32_t number) {
  std::string bytes(kNumberBytes, '\0');
  std::memcpy(bytes.data(), &number, kNumberBytes);
  return bytes;
}

int32_t NumberIn(std::string_view bytes) {
  int32_t number = 0;
  std::memcpy(&number, bytes.data(), kNumberBytes);
  return number;
}

std::string Message(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return Number(static_cast<int32_t>(text.size())) + text;
}

std::optional<int> IntOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  const auto number = found->get<int64_t>();
  if (number < INT32_MIN || number > INT32_MAX) return std::nullopt;
  return static_cast<int>(number);
}

std::optional<std::string> TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<int> RankFromTaskId(const std::string& task, int world_size) {
  const auto rank = ParseNumber<int>(task);
  return rank && *rank >= 0 && *rank < world_size ? rank : std::nullopt;
}

}  // namespace

XgboostTracker::Output XgboostTracker::OnOpened(ConnectionId id, const std::string& host) {
  workers_[id].host = host;
  return {.sends = {{id, Number(kMagic)}}};
}

XgboostTracker::Output XgboostTracker::OnBytes(ConnectionId id, std::string_view bytes) {
  Output output;
  const auto it = workers_.find(id);
  if (it == workers_.end() || it->second.step == Step::kOver) return output;
  it->second.received += bytes;
  while (it->second.step != Step::kOver && Advance(id, it->second, output)) {
  }
  if (it->second.step == Step::kOver) output.closes.push_back(id);
  const auto waiting = std::count_if(workers_.begin(), workers_.end(),
                                     [](const auto& worker) { return worker.second.step == Step::kWaiting; });
  if (waiting == world_size_) Bootstrap(output);
  return output;
}

void XgboostTracker::OnClosed(ConnectionId id) { workers_.erase(id); }

bool XgboostTracker::IsWaiting(ConnectionId id) const {
  const auto it = workers_.find(id);
  return it != workers_.end() && it->second.step == Step::kWaiting;
}

bool XgboostTracker::Advance(ConnectionId id, Worker& worker, Output& output) {
  if (worker.step == Step::kWaiting) {
    if (!worker.received.empty()) worker.step = Step::kOver;  // the protocol allows no bytes here
    return false;
  }
  if (worker.received.size() < kNumberBytes) return false;
  if (worker.step == Step::kMagic) return OnMagic(worker);
  const int32_t size = NumberIn(worker.received);
  if (size < 0 || size > kMessageLimit) {
    worker.step = Step::kOver;
    return false;
  }
  const size_t whole = kNumberBytes + static_cast<size_t>(size);
  if (worker.received.size() < whole) return false;
  const std::string text = worker.received.substr(kNumberBytes, static_cast<size_t>(size));
  worker.received.erase(0, whole);
  const bool taken = worker.step == Step::kHello ? OnHello(worker, text) : OnCommand(id, worker, text, output);
  if (!taken) worker.step = Step::kOver;
  return taken;
}

bool XgboostTracker::OnMagic(Worker& worker) {
  const bool right = NumberIn(worker.received) == kMagic;
  worker.received.erase(0, kNumberBytes);
  worker.step = right ? Step::kHello : Step::kOver;
  return right;
}

bool XgboostTracker::OnHello(Worker& worker, std::string_view text) {
  const Json hello = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto world_size = IntOf(hello, "world_size"), rank = IntOf(hello, "rank");
  const auto task = TextOf(hello, "task_id");
  if (!world_size || !rank || !task) return false;
  worker.world_size = *world_size;
  worker.rank = *rank;
  worker.task = *task;
  worker.step = Step::kCommand;
  return true;
}

bool XgboostTracker::OnCommand(ConnectionId id, Worker& worker, std::string_view text, Output& output) {
  const Json command = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto kind = IntOf(command, "cmd");
  if (!kind) return false;
  worker.step = Step::kOver;
  if (*kind == kPrint) {
    const auto message = TextOf(command, "msg");
    if (!message || worker.rank < 0 || worker.rank >= world_size_) return false;
    output.prints.push_back({worker.rank, *message});
    return true;
  }
  // The tracker ignores both commands. A process that fails is reported by its exit code.
  if (*kind == kShutdown || *kind == kError) return true;
  const auto port = IntOf(command, "port");
  if (*kind != kStart || !port || *port <= 0 || *port > UINT16_MAX || worker.world_size != -1) return false;
  worker.port = *port;
  worker.turn = ++last_turn_;
  worker.step = Step::kWaiting;
  output.sends.push_back({id, Message({{"world_size", world_size_}})});
  return true;
}

// Returns the waiting workers in the order of their ranks. If a task id is a valid rank, the first worker with that
// task id gets the rank. The other workers get the remaining ranks, ordered by task id and then by the order of their
// `start` commands.
std::vector<XgboostTracker::ConnectionId> XgboostTracker::RankedWorkers() const {
  std::vector<ConnectionId> ranked(static_cast<size_t>(world_size_));
  std::vector<bool> taken(static_cast<size_t>(world_size_));
  std::vector<std::pair<std::pair<std::string, uint64_t>, ConnectionId>> others;
  for (const auto& [id, worker] : workers_) {
    if (worker.step != Step::kWaiting) continue;
    const auto rank = RankFromTaskId(worker.task, world_size_);
    if (rank && !taken[static_cast<size_t>(*rank)]) {
      ranked[static_cast<size_t>(*rank)] = id;
      taken[static_cast<size_t>(*rank)] = true;
    } else {
      others.push_back({{worker.task, worker.turn}, id});
    }
  }
  std::sort(others.begin(), others.end());
  size_t next = 0;
  for (const auto& [order, id] : others) {
    while (taken[next]) ++next;
    ranked[next++] = id;
  }
  return ranked;
}

void XgboostTracker::Bootstrap(Output& output) {
  const std::vector<ConnectionId> ranked = RankedWorkers();
  for (size_t rank = 0; rank < ranked.size(); ++rank) {
    const size_t next = (rank + 1) % ranked.size();
    const Worker& peer = workers_.at(ranked[next]);
    output.sends.push_back({ranked[rank], Message({{"host", peer.host}, {"port", peer.port}, {"rank", next}})});
    output.closes.push_back(ranked[rank]);
  }
  for (const ConnectionId id : ranked) workers_.at(id).step = Step::kOver;
}

}  // namespace howdah::frameworks::xgboost
