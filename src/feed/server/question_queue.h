// The questions of one feed with answers: which process answers which of them, and when clients may send more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace howdah::feed::server {

using QuestionId = int64_t;

struct Question {
  uint64_t exchange = 0;  // the call of the client
  int64_t block = 0;      // its number in the call
  int64_t stored = 0;     // where the rows are; for the owner
  int64_t bytes = 0;
  int64_t rows = 0;
  int deaths = 0;      // connections that have closed while they worked on it
  bool wanted = true;  // the client is there
};

// A question waits in its exchange, is then leased to a connection of a process, and ends when the connection settles
// it. Exchanges take turns. A question goes to the connection with the fewest leased questions, of those that take one.
// Pure.
class QuestionQueue {
 public:
  // A question ends when this number of connections have closed while it was their oldest one, because it may be the
  // reason why their processes have died.
  static constexpr int kMostDeaths = 3;
  // The number of takes of a connection that may wait.
  static constexpr size_t kMostTakes = 64;
  // Is added to the bytes of each question, for the memory that its bookkeeping needs.
  static constexpr int64_t kOverhead = 512;

  struct Given {
    uint64_t connection = 0;
    QuestionId id = 0;
    Question question;
  };
  // A question that nobody of this executor will answer.
  struct Ended {
    enum class Why {
      kLost,      // no connection is left
      kDeadly,    // see kMostDeaths
      kUnwanted,  // the client is gone
    };
    Why why = Why::kLost;
    Question question;
  };

  // buffer: the bytes of questions above which an exchange may have only one.
  explicit QuestionQueue(int64_t buffer) : buffer_(buffer) {}

  // --- clients ---

  void Open(uint64_t exchange) { exchanges_.try_emplace(exchange); }
  // The exchange must be open.
  QuestionId Ask(uint64_t exchange, int64_t block, int64_t stored, int64_t bytes, int64_t rows);
  // Whether the exchange may send another question. reserved: bytes of questions that are on their way.
  bool MayAsk(uint64_t exchange, int64_t reserved) const;
  // hold: none of its questions is given to a connection from now on, because its client does not receive answers.
  void Hold(uint64_t exchange, bool hold);
  // The client is gone, or its call ends. Returns the questions that end with it. Leased ones end when their connection
  // settles them.
  std::vector<Question> Close(uint64_t exchange);
  // The number of questions of an open exchange without an answer.
  int64_t unanswered(uint64_t exchange) const;

  // --- connections of processes ---

  void Serve(uint64_t connection) { connections_.try_emplace(connection); }
  // The connection wants one question more. Returns false if it serves nothing, or has too many takes.
  bool Take(uint64_t connection);
  // No connection takes a question any more, until it calls Take again.
  void EndTakes();
  // Gives the next question to a connection that takes one. Call it until it returns nullopt, after each change.
  std::optional<Given> Give();
  // The connection has answered or refused the question. Returns nullopt if it has no such question.
  std::optional<Question> Settle(uint64_t connection, QuestionId id);
  bool Has(uint64_t connection, QuestionId id) const;
  // The connection is closed. Its questions go to the front of their exchanges, and are given to other connections.
  // Without another connection all questions end.
  std::vector<Ended> Leave(uint64_t connection);

  // The number of connections that take a question, and have none.
  int idle() const;
  // The number of questions, with those whose clients are gone, and their bytes with kOverhead.
  size_t size() const { return questions_.size(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Exchange {
    std::deque<QuestionId> queued;
    int64_t unanswered = 0;
    bool held = false;
    bool in_turn = false;  // it is in turns_
  };
  struct Connection {
    std::deque<uint64_t> takes;     // numbers of last_take_
    std::deque<QuestionId> leased;  // in the order in which they were given
  };

  void Enqueue(uint64_t exchange);
  Question Remove(QuestionId id);
  void EndAll(std::vector<Ended>& ended);

  const int64_t buffer_;
  std::map<QuestionId, Question> questions_;
  std::map<uint64_t, Exchange> exchanges_;  // those that are open
  std::map<uint64_t, Connection> connections_;
  std::deque<uint64_t> turns_;  // exchanges with questions that are not held; may have closed ones
  int64_t bytes_ = 0;
  QuestionId last_question_ = 0;
  uint64_t last_take_ = 0;
};

}  // namespace howdah::feed::server
