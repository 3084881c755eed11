// The tracker of XGBoost 2.1 and later (src/collective/protocol.h). Each process connects and sends a command. Once all
// processes have sent `start`, each receives the address of its next neighbour in the ring.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::frameworks::xgboost {

// Takes received bytes and returns the bytes to send. A connection that violates the protocol is closed; other
// connections are not affected.
class XgboostTracker {
 public:
  using ConnectionId = uint64_t;
  struct Send {
    ConnectionId to = 0;
    std::string bytes;
    friend bool operator==(const Send&, const Send&) = default;
  };
  // A text that one process prints for all processes, such as the evaluation of a training round.
  struct Print {
    int rank = 0;
    std::string text;
    friend bool operator==(const Print&, const Print&) = default;
  };
  // The caller must first send, then print, then close. It must close a connection only after all bytes of that
  // connection were sent.
  struct Output {
    std::vector<Send> sends;
    std::vector<Print> prints;
    std::vector<ConnectionId> closes;
  };

  // world_size: the number of processes, at least 1.
  explicit XgboostTracker(int world_size) : world_size_(world_size) {}

  // host: the IP address of the client, at which the other processes can reach it.
  Output OnOpened(ConnectionId id, const std::string& host);
  Output OnBytes(ConnectionId id, std::string_view bytes);
  // Must be called after every close, including a close by the tracker.
  void OnClosed(ConnectionId id);
  // Whether the process on this connection has sent `start` and waits for the others.
  bool IsWaiting(ConnectionId id) const;

 private:
  enum class Step { kMagic, kHello, kCommand, kWaiting, kOver };
  struct Worker {
    std::string host, received;
    Step step = Step::kMagic;
    int world_size = 0, rank = 0, port = 0;
    std::string task;
    uint64_t turn = 0;  // position of this worker's `start` among all `start` commands
  };
  // Processes the next received message. Returns false if the message is incomplete or invalid. If it is invalid, step
  // becomes kOver.
  bool Advance(ConnectionId id, Worker& worker, Output& output);
  bool OnMagic(Worker& worker);
  bool OnHello(Worker& worker, std::string_view text);
  bool OnCommand(ConnectionId id, Worker& worker, std::string_view text, Output& output);
  void Bootstrap(Output& output);
  std::vector<ConnectionId> RankedWorkers() const;

  const int world_size_;
  std::map<ConnectionId, Worker> workers_;
  uint64_t last_turn_ = 0;
};

}  // namespace howdah::frameworks::xgboost
