// One reader of a feed in this task: its Receiver, and the requests of its processes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/feed/receiver.h"
#include "reader_requests.h"
#include "reader_socket.h"

namespace howdah::feed::server {

// Sends RowsHandedOut at most every 20 ms, unless the reader waits: the newest one replaces those before. Other events
// may overtake it.
//
// Used on the owner's loop only.
class HandedOutEvents {
 public:
  static constexpr auto kPause = std::chrono::milliseconds(20);

  HandedOutEvents(boost::asio::io_context& loop, std::function<void(const Event&)> send)
      : send_(std::move(send)), pause_(loop) {}
  void Add(const RowsHandedOut& event);
  // Sends the event that is held back.
  void Flush();
  // Discards it.
  void Clear() { held_.reset(); }

 private:
  void Send(const RowsHandedOut& event);

  std::function<void(const Event&)> send_;
  std::optional<RowsHandedOut> held_;
  bool paused_ = false;
  boost::asio::steady_timer pause_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

// The processes of a reader may have several connections: a DataLoader's workers, for example. Their requests for
// batches are answered in the order in which they came.
//
// Used on the owner's loop only. Functions that are given to it are called at most once, immediately or later; they may
// call the owner, which may call this object again.
class LocalReader {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Carries out the effects of a call of the reader's Receiver.
    virtual void Apply(LocalReader& reader, Receiver::Effects effects) = 0;
    virtual void Send(const Event& event) = 0;
    // Calls `done` when the event is in the AM's log.
    virtual void Confirm(const Event& event, std::function<void(Status)> done) = 0;
  };
  // A batch, the end of the pass, or an error.
  using NextAnswer = std::variant<std::vector<Slice>, ClosePass, ReaderError>;
  // The pass with which reading begins, or an error.
  using OpenAnswer = std::variant<int64_t, ReaderError>;

  // owner must live longer than this object.
  LocalReader(boost::asio::io_context& loop, const Options& options, int rank, Owner& owner);
  LocalReader(const LocalReader&) = delete;
  LocalReader& operator=(const LocalReader&) = delete;

  int rank() const { return rank_; }
  Receiver& receiver() { return receiver_; }

  // --- requests of processes ---

  // Waits until the ledger has started the reader.
  void Open(ConnectionId connection, std::function<void(OpenAnswer)> done);
  void Next(ConnectionId connection, const NextRequest& request, std::function<void(NextAnswer)> done);
  void Returned(int64_t pass, int64_t rows);
  void Step(const StepRequest& request, std::function<void(Status)> done);
  void Checkpointed(int64_t step);
  // generation: the one in which the program has restored its checkpoint. As Open otherwise.
  // point: as feed::PointFound; empty: not known.
  void Found(ConnectionId connection, int64_t generation, int64_t step, std::string point,
             std::function<void(OpenAnswer)> done);
  void Commit(const CommitRequest& request, std::function<void(Status)> done);
  void Stop(std::function<void(Status)> done);
  void Leave(std::function<void(Status)> done);
  // The connection is closed: its requests are not answered.
  void Forget(ConnectionId connection);
  // Lines of HOWDAH_PROGRESS, see Hub.
  void OnStepLine(int64_t step);
  void OnCheckpointLine(int64_t step);

  // --- the owner ---

  void SendEvents(const std::vector<Event>& events);
  // The feed has failed.
  void Fail(const FailFeed& failed);
  // Answers the requests that can be answered now.
  void Wake();
  void Resync();
  // The processes of the reader have ended.
  void End();

 private:
  struct WaitingOpen {
    ConnectionId connection = 0;
    std::function<void(OpenAnswer)> done;
  };
  struct WaitingNext {
    ConnectionId connection = 0;
    NextRequest request;
    std::function<void(NextAnswer)> done;
  };
  std::optional<OpenAnswer> TryOpen() const;
  void AnswerOpens();
  void AnswerNexts();
  // Confirms the first of the events, and carries out the other effects.
  void ConfirmFirst(Receiver::Effects effects, std::function<void(Status)> done);

  const Options& options_;
  const int rank_;
  Owner& owner_;
  Receiver receiver_;
  HandedOutEvents handed_out_;
  std::deque<WaitingOpen> opens_;
  std::deque<WaitingNext> nexts_;
  std::optional<FailFeed> failed_;
  struct {
    int64_t pass = -1;  // -1: the program has got no rows
    int64_t rows = 0;
  } position_;                  // the newest rows that the program has got
  bool reports_steps_ = false;  // the program sends `step` itself
  bool stopped_ = false;        // the program has called stop()
  bool waking_ = false, wake_again_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server
