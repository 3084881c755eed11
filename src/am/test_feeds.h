// For tests: the feeds of a job, with executors that are played by the test.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "feeds.h"
#include "howdah/feed/log_tail.h"
#include "howdah/feed/messages.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::am {

// A job with one feed and two workers: "c0" has the container of worker 0. Records all messages to executors.
struct FeedScene {
  explicit FeedScene(jobspec::Framework framework, Duration longest_wait = std::chrono::hours(1), bool am_moves = false)
      : wait(longest_wait), moves(am_moves) {
    spec.framework = framework;
    spec.roles.emplace_back();
    spec.roles[0].name = "worker";
    spec.roles[0].instances = {2, 2};
    spec.feeds.emplace_back();
    spec.feeds[0].name = "train";
    Begin(false);
  }

  // Creates the feeds of the first AM, or of the next one.
  void Begin(bool resumes) {
    feeds = std::make_unique<Feeds>(
        loop, spec, clock, scratch.path() + "/",
        Feeds::Wires{
            .order = [this](const ContainerId& to, const wire::ToExecutor& m) { sent.emplace_back(to.text, m); },
            .token = [](const std::string& feed) { return "secret of " + feed; },
            .locations_changed = [this] { ++locations_changed; },
            .fail = [this](const Error& error) { failed = error.message; }},
        moves, wait);
    const Status opened = feeds->Open(resumes);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
  }

  core::StartTask OrderOf(int index, int attempt = 0, int generation = 0) const {
    return {{"c" + std::to_string(index)}, {0, index}, attempt, generation, index};
  }
  core::PeerGroup Peers(int tasks = 2) const { return {std::vector<HostPort>(static_cast<size_t>(tasks))}; }
  std::vector<wire::FeedReaders> Start(int index, int attempt = 0, int generation = 0, int tasks = 2) {
    const core::StartTask order = OrderOf(index, attempt, generation);
    auto readers = feeds->Start(order, Peers(tasks));
    feeds->Started(order);
    return readers;
  }
  void StartBoth() {
    for (const int index : {0, 1}) Start(index);
    Serve();
  }
  void Serve() {
    for (const int index : {0, 1}) {
      wire::FromExecutor message;
      message.mutable_feed_serves()->set_unix_path("/run/" + std::to_string(index));
      EXPECT_TRUE(feeds->OnMessage({"c" + std::to_string(index)}, message));
    }
  }

  void Report(const std::string& from, const feed::Event& event, std::optional<bool> unix_socket = {}) {
    wire::FromExecutor message;
    if (unix_socket) message.mutable_feed_event()->set_unix_socket(*unix_socket);
    message.mutable_feed_event()->set_feed("train");
    message.mutable_feed_event()->set_event(feed::EncodeEvent(event));
    EXPECT_TRUE(feeds->OnMessage({from}, message));
  }
  // The newest OpenPass that the container got.
  feed::OpenPass Opened(const std::string& container) const {
    feed::OpenPass newest{{-1, -1}, -1};
    for (const auto& [to, message] : sent) {
      if (to != container) continue;
      for (const wire::FeedOrder& order : message.feed_orders()) {
        const auto action = feed::DecodeAction(order.action());
        if (const auto* open = action.ok() ? std::get_if<feed::OpenPass>(&*action) : nullptr) newest = *open;
      }
    }
    return newest;
  }
  // Both readers begin the pass without kept rows, so its rows are requested.
  void BeginReading() {
    for (const std::string container : {"c0", "c1"}) {
      const feed::OpenPass open = Opened(container);
      Report(container, feed::KeptRowsOffered{open.reader, open.pass});
      Report(container, feed::ReaderOpened{open.reader, open.pass, 1});
    }
  }

  void Call(const std::string& from, wire::FeedCall call, uint64_t id) {
    wire::FromExecutor message;
    call.set_id(id);
    if (call.feed().empty()) call.set_feed("train");
    *message.mutable_feed_call() = std::move(call);
    EXPECT_TRUE(feeds->OnMessage({from}, message));
  }
  void Ask(uint64_t id) {
    wire::FeedCall call;
    call.mutable_ask()->set_near(-1);
    Call("c1", call, id);
  }
  void Supply(const std::string& from, uint64_t id) {
    wire::FeedCall call;
    call.mutable_supply()->set_name("Spark");
    Call(from, call, id);
  }
  int64_t Send(const std::string& key, uint64_t id) {
    wire::FeedCall call;
    call.mutable_send()->set_key(key);
    Call("c1", call, id);
    return Replies(id).back().partition();
  }
  // The tails of the log that the executor has from its messages.
  wire::FromExecutor TailsOf(const std::string& container) const {
    feed::LogTail kept;
    for (const auto& [to, message] : sent) {
      for (const wire::FeedLogTail& tail : message.feed_log_tails()) {
        if (to == container) kept.Take({tail.term(), tail.first(), {tail.records().begin(), tail.records().end()}});
      }
    }
    wire::FromExecutor message;
    wire::FeedLogTail& tail = *message.mutable_feed_log_tails()->add_tails();
    const feed::LogPiece piece = kept.All();
    tail.set_feed("train");
    tail.set_term(piece.term);
    tail.set_first(piece.first);
    for (const std::string& record : piece.records) tail.add_records(record);
    return message;
  }
  // Reports an event that the AM confirms.
  void Confirm(const feed::Event& event, uint64_t id) {
    wire::FeedCall call;
    call.set_event(feed::EncodeEvent(event));
    Call("c1", call, id);
  }
  std::string Log() const { return os::files::ReadFile(scratch / "feed-train.bin").value(); }
  // Another AM has the log with this content.
  void MoveAm(const std::string& log) {
    feeds.reset();
    ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "feed-train.bin", log, 0600).ok());
    Begin(true);
    for (const int index : {0, 1}) feeds->Replay(OrderOf(index), Peers());
    ASSERT_TRUE(feeds->Resume(true).ok());
  }
  std::vector<wire::FeedReply> Replies(uint64_t id) const {
    std::vector<wire::FeedReply> replies;
    for (const auto& [to, message] : sent) {
      if (message.has_feed_reply() && message.feed_reply().id() == id) replies.push_back(message.feed_reply());
    }
    return replies;
  }
  void Turn() {
    loop.restart();
    loop.poll();
  }
  // The texts of FailFeed that the container got.
  std::vector<std::string> Failures(const std::string& container) const {
    std::vector<std::string> texts;
    for (const auto& [to, message] : sent) {
      for (const wire::FeedOrder& order : message.feed_orders()) {
        const auto action = feed::DecodeAction(order.action());
        const auto* fail = action.ok() ? std::get_if<feed::FailFeed>(&*action) : nullptr;
        if (to == container && fail != nullptr) texts.push_back(fail->message);
      }
    }
    return texts;
  }

  const os::files::Scratch scratch;
  boost::asio::io_context loop;
  os::process::Clock clock;
  jobspec::JobSpec spec;
  Duration wait;
  const bool moves;
  std::vector<std::pair<std::string, wire::ToExecutor>> sent;
  int locations_changed = 0;
  std::string failed;
  std::unique_ptr<Feeds> feeds;
};

}  // namespace howdah::am
