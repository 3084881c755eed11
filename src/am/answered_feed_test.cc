// Feeds with answers, as Feeds presents them.
#include "answered_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "feeds.h"
#include "howdah/feed/messages.h"
#include "howdah/os/files/testing.h"

namespace howdah::am {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A job with the feeds "ask", which has answers, and "train". "c0" has the container of worker 0.
class AnsweredFeedTest : public testing::Test {
 protected:
  AnsweredFeedTest() {
    spec.framework = jobspec::Framework::kPlain;
    spec.roles.emplace_back();
    spec.roles[0].name = "worker";
    spec.roles[0].instances = {2, 2};
    spec.feeds.resize(2);
    spec.feeds[0].name = "ask";
    spec.feeds[0].answers = true;
    spec.feeds[1].name = "train";
    Begin(false);
  }
  // Creates the feeds of the first AM, or of the next one.
  void Begin(bool resumes) {
    feeds = std::make_unique<Feeds>(
        loop, spec, clock, scratch.path() + "/",
        Feeds::Wires{.order = [this](const ContainerId& to,
                                     const wire::ToExecutor& message) { sent.emplace_back(to.text, message); },
                     .token = [](const std::string& feed) { return "secret of " + feed; },
                     .locations_changed = [this] { ++locations_changed; },
                     .fail = [](const Error& error) { ADD_FAILURE() << error.message; }},
        false);
    const Status opened = feeds->Open(resumes);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }
  static core::StartTask OrderOf(int index, int attempt = 0) {
    return {{"c" + std::to_string(index)}, {0, index}, attempt, 0, index};
  }
  static core::PeerGroup Peers() { return {std::vector<HostPort>(2)}; }
  std::vector<wire::FeedReaders> Start(int index, int attempt = 0) {
    auto readers = feeds->Start(OrderOf(index, attempt), Peers());
    feeds->Started(OrderOf(index, attempt));
    return readers;
  }
  void StartBoth() {
    for (const int index : {0, 1}) {
      Start(index);
      wire::FromExecutor message;
      message.mutable_feed_serves()->set_unix_path("/run/" + std::to_string(index));
      EXPECT_TRUE(feeds->OnMessage({"c" + std::to_string(index)}, message));
    }
  }
  // The containers that got the order to end the feed, since the last call.
  std::vector<std::string> Ended() {
    std::vector<std::string> containers;
    for (const auto& [to, message] : std::exchange(sent, {})) {
      for (const wire::FeedOrder& order : message.feed_orders()) {
        const auto action = feed::DecodeAction(order.action());
        if (order.feed() == "ask" && action.ok() && std::holds_alternative<feed::EndFeed>(*action)) {
          containers.push_back(to);
        }
      }
    }
    return containers;
  }
  Status Close() {
    Status closed = Failed("no reply");
    feeds->Close("ask", [&](const Status& status) { closed = status; });
    return closed;
  }
  void Report(const std::string& from, int64_t rows, int idle = 0, bool clients_wait = false) {
    wire::FromExecutor message;
    wire::FeedAnswers& report = *message.mutable_feed_answers();
    report.set_feed("ask");
    report.set_rows(rows);
    report.set_bytes(rows * 10);
    report.set_clients(1);
    report.set_idle(idle);
    report.set_clients_wait(clients_wait);
    EXPECT_TRUE(feeds->OnMessage({from}, message));
  }
  journal::JobView Running(core::TaskState second) const {
    journal::JobView view;
    view.state = core::JobState::kRunning;
    for (const int index : {0, 1}) {
      view.tasks.emplace_back();
      view.tasks.back().role = "worker";
      view.tasks.back().index = index;
      view.tasks.back().state = index == 0 ? core::TaskState::kSucceeded : second;
    }
    return view;
  }

  const os::files::Scratch scratch;
  boost::asio::io_context loop;
  os::process::Clock clock;
  jobspec::JobSpec spec;
  std::vector<std::pair<std::string, wire::ToExecutor>> sent;
  int locations_changed = 0;
  std::unique_ptr<Feeds> feeds;
};

TEST_F(AnsweredFeedTest, StartOrderHasTheTokenAndNoOrderFollows) {
  spec.roles[0].processes = 2;
  Begin(false);
  sent.clear();
  const auto readers = Start(1);
  ASSERT_EQ(readers.size(), 2u);
  EXPECT_EQ(readers[1].feed(), "ask");
  EXPECT_EQ(readers[1].first(), 2);
  EXPECT_EQ(readers[1].readers(), 4);
  EXPECT_EQ(readers[1].token(), "secret of ask");
  for (const auto& [to, message] : sent) {
    for (const wire::FeedOrder& order : message.feed_orders()) EXPECT_EQ(order.feed(), "train");
  }
}

TEST_F(AnsweredFeedTest, LocationsAreThoseOfRunningProcesses) {
  EXPECT_THAT(*feeds->Locations("ask"), IsEmpty());
  StartBoth();
  EXPECT_THAT(*feeds->Locations("ask"), ElementsAre("grpc+unix:///run/0", "grpc+unix:///run/1"));
  feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  EXPECT_THAT(*feeds->Locations("ask"), ElementsAre("grpc+unix:///run/1"));
  const int changes = locations_changed;
  Start(0, 1);
  EXPECT_GT(locations_changed, changes);
  EXPECT_THAT(*feeds->Locations("ask"), ElementsAre("grpc+unix:///run/0", "grpc+unix:///run/1"));
  feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  EXPECT_EQ(feeds->Locations("ask")->size(), 2u) << "the end of the attempt before has no effect";
  feeds->OnContainerGone({"c1"});
  EXPECT_THAT(*feeds->Locations("ask"), ElementsAre("grpc+unix:///run/0"));
}

TEST_F(AnsweredFeedTest, ClosedFeedEndsForAllAndForLaterAttempts) {
  StartBoth();
  sent.clear();
  ASSERT_TRUE(Close().ok());
  EXPECT_THAT(Ended(), ElementsAre("c0", "c1"));
  EXPECT_THAT(feeds->Locations("ask").error().message, HasSubstr("the feed ask is closed"));
  ASSERT_TRUE(Close().ok());
  Ended();
  feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  Start(0, 1);
  EXPECT_THAT(Ended(), ElementsAre("c0"));
  EXPECT_TRUE(feeds->Locations("train").ok()) << "the other feed goes on";
}

TEST_F(AnsweredFeedTest, NextAmKnowsTheProcessesAndThatTheFeedIsClosed) {
  StartBoth();
  Begin(true);
  for (const int index : {0, 1}) feeds->Replay(OrderOf(index), Peers());
  feeds->Replay(core::TaskEnded{{"c0"}, 0, {}});
  ASSERT_TRUE(feeds->Resume(false).ok());
  wire::FromExecutor message;
  message.mutable_feed_serves()->set_unix_path("/run/1");
  feeds->OnMessage({"c1"}, message);
  EXPECT_THAT(*feeds->Locations("ask"), ElementsAre("grpc+unix:///run/1"));
  ASSERT_TRUE(Close().ok());
  Begin(true);
  feeds->Replay(OrderOf(1), Peers());
  ASSERT_TRUE(feeds->Resume(false).ok());
  sent.clear();
  feeds->OnConnected({"c1"});
  EXPECT_THAT(Ended(), ElementsAre("c1"));
}

TEST_F(AnsweredFeedTest, FeedEndsWithTheJobOrItsLastTask) {
  StartBoth();
  sent.clear();
  feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  feeds->OnPassDone(Running(core::TaskState::kRunning), false);
  EXPECT_THAT(Ended(), IsEmpty());
  feeds->OnEvent(core::TaskEnded{{"c1"}, 0, {}});
  feeds->OnPassDone(Running(core::TaskState::kSucceeded), false);
  EXPECT_THAT(feeds->Locations("ask").error().message, HasSubstr("the feed ask is over"));
  Begin(false);
  StartBoth();
  sent.clear();
  feeds->OnPassDone(Running(core::TaskState::kRunning), true);
  EXPECT_THAT(Ended(), ElementsAre("c0", "c1"));
  feeds->OnPassDone(Running(core::TaskState::kRunning), true);
  EXPECT_THAT(Ended(), IsEmpty());
}

TEST_F(AnsweredFeedTest, ActionsOfClientsAreRefusedExceptClose) {
  StartBoth();
  const auto reply = [this](uint64_t id) {
    for (const auto& [to, message] : sent) {
      if (message.has_feed_reply() && message.feed_reply().id() == id) return message.feed_reply().error();
    }
    return std::string("no reply");
  };
  wire::FromExecutor message;
  wire::FeedCall& call = *message.mutable_feed_call();
  call.set_feed("ask");
  call.set_id(1);
  call.mutable_send();
  EXPECT_TRUE(feeds->OnMessage({"c0"}, message));
  EXPECT_THAT(reply(1), HasSubstr("ask with DoExchange"));
  call.set_id(2);
  call.set_close(true);
  EXPECT_TRUE(feeds->OnMessage({"c0"}, message));
  EXPECT_EQ(reply(2), "");
  EXPECT_FALSE(feeds->Locations("ask").ok());
}

TEST_F(AnsweredFeedTest, ViewAddsUpTheExecutorsThatRun) {
  StartBoth();
  Report("c0", 100);
  Report("c1", 20);
  Report("c0", 130);
  Report("c7", 1000);  // it has no task of the feed
  const auto views = feeds->View();
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].name, "ask");
  EXPECT_EQ(views[0].rows, 150);
  EXPECT_EQ(views[0].bytes, 1500);
  EXPECT_EQ(views[0].sources, 2);
  EXPECT_EQ(views[0].pass, 0);
  EXPECT_EQ(views[1].name, "train");
  feeds->OnContainerGone({"c0"});
  EXPECT_EQ(feeds->View()[0].rows, 20);
}

}  // namespace
}  // namespace howdah::am
