// For tests: the feeds of one executor, with an AM that runs a real ledger.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "howdah/feed/ledger.h"
#include "howdah/feed/messages.h"
#include "howdah/os/files/testing.h"
#include "local_feeds.h"
#include "test_flight.h"

namespace howdah::feed::server {

using TestJson = nlohmann::json;

// The AM of a job with the feed "train", whose readers are all in this executor. Messages to it wait for Handle.
class TestAm {
 public:
  TestAm(const Options& options, int readers) : ledger_(options), readers_(readers) {}

  void Receive(const wire::FromExecutor& message) {
    if (connected) inbox.push_back(message);
  }
  // All readers start together. The orders wait for Handle.
  void Form() { Step(GenerationFormed{++generation, readers_}); }
  void Step(const Event& event) {
    for (const Action& action : ledger_.Step(event, Instant()).actions) {
      if (const auto* request = std::get_if<RequestRows>(&action)) requested.push_back(*request);
      wire::FeedOrder& order = *outbox_.add_feed_orders();
      order.set_feed("train");
      order.set_action(EncodeAction(action));
    }
  }
  // Handles all messages, and sends orders and replies.
  void Handle(LocalFeeds& feeds) {
    Flush(feeds);
    while (!inbox.empty()) {
      const wire::FromExecutor message = std::move(inbox.front());
      inbox.pop_front();
      if (message.has_feed_event()) {
        events.push_back(DecodeEvent(message.feed_event().event()).value());
        if (message.feed_event().has_unix_socket()) unix_sockets.push_back(message.feed_event().unix_socket());
        Step(events.back());
      }
      if (message.has_feed_call()) Answer(message.feed_call());
      Flush(feeds);
    }
  }
  template <typename T>
  std::vector<T> Received() const {
    std::vector<T> received;
    for (const Event& event : events) {
      if (const auto* one = std::get_if<T>(&event)) received.push_back(*one);
    }
    return received;
  }
  Ledger& ledger() { return ledger_; }

  bool connected = true;
  std::deque<wire::FromExecutor> inbox;
  std::vector<Event> events;          // those without a reply
  std::vector<bool> unix_sockets;     // of the events that say whether rows have arrived over the unix socket
  std::vector<Event> confirmed;       // those with one
  std::vector<wire::FeedCall> calls;  // all others
  std::vector<RequestRows> requested;
  int64_t generation = 0;

 private:
  void Answer(const wire::FeedCall& call) {
    wire::FeedReply& reply = *outbox_.mutable_feed_reply();
    reply.set_id(call.id());
    if (call.has_event()) {
      confirmed.push_back(DecodeEvent(call.event()).value());
      return Step(confirmed.back());
    }
    calls.push_back(call);
    if (call.has_ask()) {
      reply.set_answer(EncodeAnswer(ledger_.Ask(call.ask().pass(), call.ask().partition(), call.ask().near())));
      reply.set_path("/run/flight");
      reply.set_host("::1");
      reply.set_port(77);
    } else if (call.has_send()) {
      reply.set_partition(call.send().key() == "again" ? -1 : 5);
    } else if (!call.close()) {
      outbox_.clear_feed_reply();  // a supply call
    }
  }
  void Flush(LocalFeeds& feeds) {
    const wire::ToExecutor message = std::exchange(outbox_, {});
    feeds.OnMessage(message);
  }

  Ledger ledger_;
  const int readers_;
  wire::ToExecutor outbox_;
};

class FeedsTest : public testing::Test {
 protected:
  // The replies that a process has received.
  struct Process {
    ConnectionId connection = 0;
    std::vector<TestJson> replies = {};
    std::vector<size_t> files = {};  // their number in each reply
    const TestJson& last() const { return replies.back(); }
  };
  static Options OptionsOf(int64_t passes) {
    Options options;
    options.passes = passes;
    return options;
  }
  explicit FeedsTest(const Options& options = OptionsOf(1), int processes = 1)
      : am(options, processes),
        settings{.feeds = {{"train", options, int64_t{1} << 20}},
                 .processes = processes,
                 .socket_directory = scratch / "s",
                 .spool_directory = scratch.path(),
                 .tls_host = "",
                 .identity = {}},
        feeds(loop, settings,
              {[this](const wire::FromExecutor& message) { am.Receive(message); },
               [this](const std::string& line) { log.push_back(line); }},
              [this](const FlightAddress& address, const std::string& token, const GetTarget& get, auto on_block,
                     auto on_done) {
                gets.push_back({address, token, get, std::move(on_block), std::move(on_done)});
              }) {}

  wire::Start StartOrder(int attempt) const {
    wire::Start start;
    start.set_attempt(attempt);
    wire::FeedReaders& readers = *start.add_feeds();
    readers.set_feed("train");
    readers.set_readers(settings.processes);
    readers.set_generation(am.generation + 1);
    readers.set_token(kTestToken);
    return start;
  }
  void StartAttempt(int attempt) {
    feeds.OnStart(StartOrder(attempt));
    am.Form();
    am.Handle(feeds);
  }
  // Sends a request without waiting for the AM.
  void Post(Process& process, const std::string& request) {
    feeds.OnRequest(process.connection, request, os::files::Fd(), [&process](const ReaderReply& reply) {
      ASSERT_EQ(reply.size(), 1U);
      process.replies.push_back(TestJson::parse(reply.front().text));
      process.files.push_back(reply.front().files.size());
    });
  }
  void Send(Process& process, const std::string& request) {
    Post(process, request);
    am.Handle(feeds);
  }
  Process Open(ConnectionId connection, int local_rank = 0, int attempt = 1) {
    Process process{connection};
    Send(process, "{\"open\":\"train\",\"local_rank\":" + std::to_string(local_rank) +
                      ",\"attempt\":" + std::to_string(attempt) + "}");
    return process;
  }
  static std::string Next(int64_t pass, int64_t rows, int64_t returned, bool waiting = true) {
    return TestJson{{"next", {{"pass", pass}, {"rows", rows}, {"returned", returned}, {"waiting", waiting}}}}.dump();
  }
  // Acts as a source. Returns the answer to the block, or nullopt if there is none yet.
  std::optional<PutAnswer> Put(int64_t pass, PartitionId partition, Rows rows, size_t bytes = 100,
                               bool unix_socket = false) {
    std::optional<PutAnswer> answer;
    ArrowBlock block = TestBlock(rows.from, rows.count(), std::string(bytes, 'x'));
    block.unix_socket = unix_socket;
    feeds.FlightHandlers().on_block({"train", pass, partition}, TestSchema(), std::move(block),
                                    [&answer](const Result<PutAnswer>& result) { answer = result.value(); });
    am.Handle(feeds);
    return answer;
  }
  struct Outcome {
    std::vector<TestJson> replies;
    std::optional<Status> finished;
  };
  void Act(uint64_t id, const std::string& type, const std::string& body, Outcome& outcome) {
    feeds.FlightHandlers().on_action(
        id, type, body,
        {[&outcome](const std::string& reply) { outcome.replies.push_back(TestJson::parse(reply)); },
         [&outcome](const Status& status) { outcome.finished = status; }});
    am.Handle(feeds);
  }
  // The source has partitions of the same size.
  void EndSource(int64_t partitions, int64_t rows) {
    for (int64_t i = 0; i < partitions; ++i) am.Step(PartitionEnded{0, i, rows});
    am.Step(SourceEnded{partitions});
    am.Handle(feeds);
  }
  const BlockStore& store() const { return feeds.Find("train")->blocks().store(); }

  struct RemoteGet {
    FlightAddress address;
    std::string token;
    GetTarget get;
    FlightClient::OnBlock on_block;
    FlightClient::OnDone on_done;
  };
  boost::asio::io_context loop;
  os::files::Scratch scratch;
  TestAm am;
  std::vector<std::string> log;
  std::vector<RemoteGet> gets;
  Hub::Settings settings;
  LocalFeeds feeds;
};

}  // namespace howdah::feed::server
