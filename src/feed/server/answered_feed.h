// One feed with answers in this executor: the questions of clients, and the processes that answer them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "answer_reports.h"
#include "block_store.h"
#include "flight_server.h"
#include "howdah/base/time.h"
#include "howdah/feed/server/hub.h"
#include "howdah/os/files/fd.h"
#include "question_queue.h"
#include "reader_requests.h"
#include "reader_socket.h"

namespace howdah::feed::server {

// The calls of clients that are read in turns, as far as there is room.
//
// Used on the owner's loop only.
class ReadTurns {
 public:
  // The call is to be read. bytes: that its next block probably has.
  void Add(uint64_t call, int64_t bytes) { waiting_.emplace_back(call, bytes); }
  // Begins to read each call for which may_read(call, bytes) is true. bytes: those of the blocks that are being
  // received.
  void Begin(const std::function<bool(uint64_t call, int64_t bytes)>& may_read,
             const std::function<void(uint64_t call)>& read);
  // The block of the call has been received, or none will be.
  void End(uint64_t call);
  // The call has ended.
  void Forget(uint64_t call);
  bool any_waits() const { return !waiting_.empty(); }

 private:
  std::deque<std::pair<uint64_t, int64_t>> waiting_;
  std::map<uint64_t, int64_t> receiving_;
  int64_t bytes_ = 0;  // of receiving_
};

// Keeps the numbers of schemas while no question has them, so that processes receive a schema once.
class RecentSchemas {
 public:
  void Keep(const std::shared_ptr<const BlockSchema>& schema);

 private:
  static constexpr size_t kMost = 16;
  std::deque<std::shared_ptr<const BlockSchema>> schemas_;
};

// Moves questions from the calls of clients to the processes of the task, and answers back. A QuestionQueue decides who
// gets which question.
//
// Memory. The rows of questions are in shared memory, at most FeedPlan::options.buffer bytes and one block for each
// call. A call whose client has not received kHeldBytes of answers gives no further question to a process.
//
// Used on the owner's loop only.
class AnsweredFeed {
 public:
  using Exchange = FlightServer::Handlers::Exchange;
  using Reply = std::function<void(ReaderReply)>;
  static constexpr int64_t kHeldBytes = int64_t{8} << 20;
  static constexpr size_t kMostExchanges = 1024;

  // longest_wait: how long a call waits for a process that serves the feed.
  // send: as Hub::Handlers::send.
  AnsweredFeed(boost::asio::io_context& loop, const FeedPlan& plan, Duration longest_wait,
               std::function<void(const wire::FromExecutor&)> send);
  AnsweredFeed(const AnsweredFeed&) = delete;
  AnsweredFeed& operator=(const AnsweredFeed&) = delete;

  const std::string& name() const { return name_; }

  // --- the AM ---

  // An attempt with this number of processes begins.
  void Begin(const wire::FeedReaders& readers, int processes);
  // The processes of the attempt have ended, and their connections were closed.
  void End();
  // As Hub::OnRegistered.
  void OnRegistered() { reports_.Repeat(); }
  // No new question is accepted. Takes end with FeedStopped when every accepted question has its answer.
  void Stop();

  // --- processes ---

  // Returns false if the request is refused. The other functions are for connections for which it has returned true.
  bool Serve(ConnectionId connection, int local_rank, const Reply& reply);
  void Take(ConnectionId connection, Reply reply);
  void Answer(ConnectionId connection, const AnswerRequest& request, const os::files::Fd& file, const Reply& reply);
  void Refuse(ConnectionId connection, const RefuseRequest& request, const Reply& reply);
  void OnClosed(ConnectionId connection);

  // --- clients; as FlightServer::Handlers. Calls of other feeds have no effect ---

  // Empty before the first attempt.
  const std::string& token() const { return attempt_.token; }
  void OnExchange(uint64_t id, Exchange exchange);
  void OnQuestion(uint64_t id, const std::string& schema, const ArrowBlock& block);
  void OnAsked(uint64_t id);
  void OnSent(uint64_t id, int64_t unsent);
  void OnCancelled(uint64_t id);

  const QuestionQueue& queue() const { return queue_; }

 private:
  struct Call {
    Exchange exchange;
    boost::asio::steady_timer limit;  // of the time without a process that serves
    bool asked = false;               // no further block follows
    int64_t next = 0;                 // the number of the next block
    int64_t unsent = 0;               // bytes of answers that the client has not received
  };
  // A connection of a process.
  struct Server {
    std::deque<Reply> takes;  // without a reply
    std::map<QuestionId, BlockId> leases;
    std::set<int64_t> schemas;  // that it has received
  };

  // Carries out all that has become possible.
  void Advance();
  void Give(const QuestionQueue::Given& given);
  void EndTakes();
  // Removes the question from the connection. Returns nullopt if it has no such question.
  std::optional<Question> Unlease(ConnectionId connection, QuestionId id);
  // The question has left the queue: its client gets the result.
  void Settle(const Question& question, QuestionEnd end, std::string_view text, std::string payload = "");
  void StartLimit(uint64_t id, Call& call);
  void EndCall(uint64_t id, const Status& status);

  boost::asio::io_context& loop_;
  const std::string name_;
  const Duration longest_wait_;
  QuestionQueue queue_;
  BlockStore store_;
  RecentSchemas schemas_;
  std::map<uint64_t, Call> calls_;
  ReadTurns turns_;
  std::map<ConnectionId, Server> servers_;
  struct Attempt {
    std::string token;
    int processes = 0;  // 0: none runs
    bool stopped = false;
  };
  Attempt attempt_;
  AnswerReports reports_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server
