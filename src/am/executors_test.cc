#include "executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "howdah/base/version.h"

namespace howdah::am {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Executors of a job without followers; what they are sent, in words.
struct Scene {
  boost::asio::io_context loop;
  spec::JobSpec spec;
  Followers followers{loop, spec, "", {.reply = {}, .close = {}, .order = [](const auto&, const auto&) {}}};
  std::vector<std::string> sent;
  int events = 0;
  Executors executors{{std::chrono::seconds(25), std::chrono::minutes(5)},
                      followers,
                      [this](const core::Event&) { ++events; },
                      [this](rpc::ConnectionId to, const wire::ToExecutor& message, const auto&) {
                        sent.push_back(std::to_string(to) + (message.has_leave()                   ? " leave"
                                                             : message.welcome().refused().empty() ? " welcome"
                                                                                                   : " refused"));
                      }};

  void Register(rpc::ConnectionId from, const std::string& container) {
    wire::FromExecutor message;
    message.mutable_register_()->set_container(container);
    message.mutable_register_()->set_version(std::string(kVersion));
    executors.OnMessage(from, message);
  }
};

TEST(Executors, OneWhoseContainerIsSaidToBeGoneHasToLeave) {
  Scene scene;
  scene.Register(1, "c1");
  scene.Register(2, "c2");
  EXPECT_EQ(scene.events, 2);
  scene.executors.Forget(ContainerId{"c1"});
  EXPECT_THAT(scene.sent, ElementsAre("1 welcome", "2 welcome", "1 leave"));
  wire::FromExecutor heartbeat;
  heartbeat.mutable_heartbeat();
  scene.executors.OnMessage(1, heartbeat);
  EXPECT_EQ(scene.events, 2) << "nothing more is heard of it";
}

TEST(Executors, OneThatConnectsAfterItsContainerIsSaidToBeGoneIsRefused) {
  Scene scene;
  scene.executors.Forget(ContainerId{"c1"});
  EXPECT_THAT(scene.sent, IsEmpty());
  scene.Register(1, "c1");
  EXPECT_THAT(scene.sent, ElementsAre("1 refused"));
  EXPECT_EQ(scene.events, 0);
}

}  // namespace
}  // namespace howdah::am
