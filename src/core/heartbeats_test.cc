#include "howdah/core/heartbeats.h"

#include <gmock/gmock.h>

namespace howdah::core {
namespace {

Instant At(int seconds) { return Instant(std::chrono::seconds(seconds)); }

// Formats heartbeats: "b@3 100" is a heartbeat of container b at 3s, with a usage of 100 bytes.
std::vector<std::string> Texts(const std::vector<std::pair<Instant, HeartbeatReceived>>& taken) {
  std::vector<std::string> texts;
  for (const auto& [at, heard] : taken) {
    const std::string used = heard.usage ? " " + std::to_string(heard.usage->memory_bytes) : "";
    texts.push_back(heard.container.text + "@" + std::to_string(at.time_since_epoch().count() / 1'000'000) + used);
  }
  return texts;
}

TEST(Heartbeats, PendingHeartbeatsPrecedeTicksAndTheEndOfTheirContainer) {
  const ContainerId a{"a"}, b{"b"}, c{"c"};
  Heartbeats heartbeats;
  heartbeats.Record({b}, At(1));
  heartbeats.Record({a}, At(2));
  heartbeats.Record({c}, At(2));
  heartbeats.Record({b}, At(3));
  EXPECT_THAT(Texts(heartbeats.TakeBefore(TaskStarted{a, 0, {}, At(4)})), testing::IsEmpty());
  EXPECT_THAT(Texts(heartbeats.TakeBefore(ContainerExited{a})), testing::ElementsAre("a@2"));
  EXPECT_THAT(Texts(heartbeats.TakeBefore(ContainerExited{a})), testing::IsEmpty());
  EXPECT_THAT(Texts(heartbeats.TakeBefore(Ticked{})), testing::ElementsAre("c@2", "b@3"));
  EXPECT_THAT(Texts(heartbeats.TakeBefore(Ticked{})), testing::IsEmpty());
}

TEST(Heartbeats, HeartbeatWithoutUsageKeepsTheNewestUsage) {
  const ContainerId a{"a"};
  Heartbeats heartbeats;
  heartbeats.Record({a, Usage{100}}, At(1));
  heartbeats.Record({a, Usage{200}}, At(2));
  heartbeats.Record({a}, At(3));
  EXPECT_THAT(Texts(heartbeats.TakeBefore(TaskEnded{a, 0, At(4)})), testing::ElementsAre("a@3 200"));
}

}  // namespace
}  // namespace howdah::core
