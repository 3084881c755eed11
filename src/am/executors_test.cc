#include "executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "howdah/base/version.h"

namespace howdah::am {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The executors of a job without followers. Records each message that is sent to an executor as text.
struct Scene {
  boost::asio::io_context loop;
  os::process::Clock clock;
  jobspec::JobSpec spec;
  Followers followers{loop, spec, clock, "", {.reply = {}, .close = {}, .order = [](const auto&, const auto&) {}}};
  MetricsKeeper metrics{loop, spec, clock, "", {.reply = {}, .close = {}, .order = [](const auto&, const auto&) {}}};
  Feeds feeds{loop, spec, clock, "", {.order = {}, .token = {}, .locations_changed = {}, .fail = {}}, false};
  std::vector<std::string> sent;
  int events = 0;
  std::vector<int64_t> steps;  // the progress steps that the core received
  std::string last;            // the kind of the newest of some events that the core received
  std::string left;            // the newest container whose executor has left it
  bool moved = false;          // an executor has moved to another AM
  Executors executors{loop,
                      {.heartbeat = std::chrono::seconds(25),
                       .await_am = std::chrono::minutes(5),
                       .progress = std::chrono::hours(1),
                       .leave = std::chrono::milliseconds(1)},
                      clock,
                      {followers, metrics, feeds},
                      [this](const core::Event& event) {
                        ++events;
                        const auto* progressed = std::get_if<core::TaskProgressed>(&event);
                        if (progressed) steps.push_back(*progressed->progress.step);
                        if (std::holds_alternative<core::RankExited>(event)) last = "exited";
                        if (std::holds_alternative<core::HeartbeatReceived>(event)) last = "heartbeat";
                        if (std::holds_alternative<core::ExecutorStoring>(event)) last = "storing";
                      },
                      [this](rpc::ConnectionId to, const wire::ToExecutor& message, const auto&) {
                        sent.push_back(std::to_string(to) + (message.has_leave()                   ? " leave"
                                                             : message.has_keep_logs()             ? " keep logs"
                                                             : message.welcome().refused().empty() ? " welcome"
                                                                                                   : " refused"));
                      },
                      [this](const ContainerId& container) { left = container.text; },
                      [this] { moved = true; }};

  void Register(rpc::ConnectionId from, const std::string& container) {
    wire::FromExecutor message;
    message.mutable_register_()->set_container(container);
    message.mutable_register_()->set_version(std::string(kVersion));
    executors.OnMessage(from, message);
  }
};

TEST(Executors, ConnectedExecutorOfLostContainerIsOrderedToExit) {
  Scene scene;
  scene.Register(1, "c1");
  scene.Register(2, "c2");
  EXPECT_EQ(scene.events, 2);
  bool ended = false;
  scene.executors.Forget(ContainerId{"c1"}, [&] { ended = true; });
  EXPECT_THAT(scene.sent, ElementsAre("1 welcome", "2 welcome", "1 leave"));
  wire::FromExecutor heartbeat;
  heartbeat.mutable_heartbeat();
  scene.executors.OnMessage(1, heartbeat);
  EXPECT_EQ(scene.events, 2) << "messages of a lost container are ignored";
  EXPECT_FALSE(ended) << "its executor is still connected, so processes of the task may still run";
  scene.executors.OnClosed(2);
  EXPECT_FALSE(ended);
  scene.executors.OnClosed(1);
  EXPECT_TRUE(ended);
}

TEST(Executors, TheLastMessageOfAnExecutorNamesItsContainer) {
  Scene scene;
  scene.Register(1, "c1");
  wire::FromExecutor message;
  message.mutable_left();
  scene.executors.OnMessage(1, message);
  EXPECT_EQ(scene.left, "c1");
  EXPECT_EQ(scene.events, 1) << "only the registration";
  scene.executors.Forget(ContainerId{"c1"}, [] {});
  scene.left.clear();
  scene.executors.OnMessage(1, message);
  EXPECT_EQ(scene.left, "") << "the container has ended";
}

TEST(Executors, CoreReceivesThatAnExecutorStoresFiles) {
  Scene scene;
  scene.Register(1, "c1");
  wire::FromExecutor message;
  message.mutable_storing();
  scene.executors.OnMessage(1, message);
  EXPECT_EQ(scene.last, "storing");
}

TEST(Executors, AmLearnsThatAnExecutorHasMovedToAnotherAm) {
  Scene scene;
  wire::FromExecutor message;
  message.mutable_moved();
  scene.executors.OnMessage(1, message);
  EXPECT_FALSE(scene.moved) << "the connection has not registered";
  scene.Register(1, "c1");
  scene.executors.OnMessage(1, message);
  EXPECT_TRUE(scene.moved);
}

TEST(Executors, OrderToKeepLogsIsRepeatedWhenTheExecutorConnects) {
  Scene scene;
  scene.executors.KeepLogs(ContainerId{"c1"});
  EXPECT_THAT(scene.sent, IsEmpty()) << "its executor has not connected yet";
  EXPECT_FALSE(scene.executors.connected(ContainerId{"c1"}));
  EXPECT_EQ(scene.executors.usage(ContainerId{"c1"}), nullptr) << "the usage in the journal still applies";
  scene.Register(1, "c1");
  scene.Register(2, "c2");
  EXPECT_THAT(scene.sent, ElementsAre("1 welcome", "1 keep logs", "2 welcome"));
  scene.sent.clear();
  scene.executors.KeepLogs(ContainerId{"c2"});
  scene.executors.OnClosed(2);
  scene.Register(3, "c2");
  EXPECT_THAT(scene.sent, ElementsAre("2 keep logs", "3 welcome", "3 keep logs"));
  scene.sent.clear();
  scene.executors.Forget(ContainerId{"c2"}, [] {});
  scene.executors.KeepLogs(ContainerId{"c2"});
  EXPECT_THAT(scene.sent, ElementsAre("3 leave"));
}

TEST(Executors, ContainerEndsAfterTimeLimitIfItsExecutorStaysConnected) {
  Scene scene;
  scene.Register(1, "c1");
  bool ended = false;
  scene.executors.Forget(ContainerId{"c1"}, [&] { ended = true; });
  EXPECT_FALSE(ended);
  scene.loop.run();
  EXPECT_TRUE(ended);
  scene.executors.OnClosed(1);
}

TEST(Executors, ExecutorOfLostContainerIsRefused) {
  Scene scene;
  bool ended = false;
  scene.executors.Forget(ContainerId{"c1"}, [&] { ended = true; });
  EXPECT_TRUE(ended);
  EXPECT_THAT(scene.sent, IsEmpty());
  scene.Register(1, "c1");
  EXPECT_THAT(scene.sent, ElementsAre("1 refused"));
  EXPECT_EQ(scene.events, 0);
}

TEST(Executors, ProgressIsPassedToTheCoreAtIntervalsAndBeforeAnExit) {
  Scene scene;
  scene.Register(1, "c1");
  const auto beat = [&](int64_t step) {
    wire::FromExecutor message;
    wire::Heartbeat& heartbeat = *message.mutable_heartbeat();
    if (step > 0) {
      heartbeat.mutable_progress()->set_step(step);
      heartbeat.mutable_progress()->set_at_micros(step);
    }
    scene.executors.OnMessage(1, message);
  };
  beat(1);
  beat(2);
  beat(3);
  beat(0);
  EXPECT_THAT(scene.steps, ElementsAre(1)) << "an hour has not passed";
  EXPECT_EQ(scene.last, "heartbeat");
  EXPECT_EQ(scene.executors.progress(ContainerId{"c1"})->newest.step, 3) << "the newest step is kept";
  wire::FromExecutor exited;
  exited.mutable_rank_exited()->set_code(1);
  scene.executors.OnMessage(1, exited);
  EXPECT_THAT(scene.steps, ElementsAre(1, 3));
  EXPECT_EQ(scene.last, "exited");
}

TEST(Executors, ProgressIntervalGrowsWithTheNumberOfTasks) {
  using namespace std::chrono_literals;
  EXPECT_EQ(ProgressInterval(2s, 4), 2s);
  EXPECT_EQ(ProgressInterval(25s, 4), 10s);
  EXPECT_EQ(ProgressInterval(25s, 1000), 100s);
}

}  // namespace
}  // namespace howdah::am
