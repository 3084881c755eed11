// The tracker that XGBoost's processes meet at, as XGBoost 2.1 and later speak it (src/collective/protocol.h): each
// connects, says what it wants, and once all of them want to start each is told whom its ring leads to next.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::frameworks::xgboost {

// Bytes in, bytes out. Whoever does not keep to the protocol is closed, and disturbs nobody else.
class XgboostTracker {
 public:
  using ConnectionId = uint64_t;
  struct Send {
    ConnectionId to = 0;
    std::string bytes;
    friend bool operator==(const Send&, const Send&) = default;
  };
  // What a process wants printed once for all: the evaluation of each round of training, say.
  struct Print {
    int rank = 0;
    std::string text;
    friend bool operator==(const Print&, const Print&) = default;
  };
  // To be carried out in this order; a connection is closed once what it is sent has left.
  struct Output {
    std::vector<Send> sends;
    std::vector<Print> prints;
    std::vector<ConnectionId> closes;
  };

  // world: how many processes there are, 1 or more.
  explicit XgboostTracker(int world) : world_(world) {}

  // host: IP address of who has connected, at which the others will reach it.
  Output OnOpened(ConnectionId id, const std::string& host);
  Output OnBytes(ConnectionId id, std::string_view bytes);
  // Also after a close of ours.
  void OnClosed(ConnectionId id);
  // Whether it has said all it has to, and waits for the others.
  bool Waits(ConnectionId id) const;

 private:
  enum class Step { kMagic, kHello, kCommand, kWaits, kOver };
  struct Worker {
    std::string host, received;
    Step step = Step::kMagic;
    int world = 0, rank = 0, port = 0;
    std::string task;
    uint64_t turn = 0;  // in which order they wanted to start
  };
  // Takes the next message off what was received; false: it is not there whole, or it is none (then step is kOver).
  bool Advance(ConnectionId id, Worker& worker, Output& output);
  bool OnMagic(Worker& worker);
  bool OnHello(Worker& worker, std::string_view text);
  bool OnCommand(ConnectionId id, Worker& worker, std::string_view text, Output& output);
  void Bootstrap(Output& output);
  std::vector<ConnectionId> RankedWorkers() const;

  const int world_;
  std::map<ConnectionId, Worker> workers_;
  uint64_t last_turn_ = 0;
};

}  // namespace howdah::frameworks::xgboost
