// YARN's ids as values, and their conversion to text and messages. The text formats are those of the classes with the
// same names in org.apache.hadoop.yarn.api.records.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::hadoop::yarn {

struct ApplicationId {
  int64_t cluster_timestamp = 0;  // start time of the ResourceManager, ms
  int32_t id = 0;
  friend auto operator<=>(const ApplicationId&, const ApplicationId&) = default;
};

struct AttemptId {
  ApplicationId application;
  int32_t attempt = 0;
  friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

struct ContainerId {
  AttemptId attempt;
  int64_t id = 0;  // epoch << 40 | number
  // How often the ResourceManager had been restarted when it created this id.
  int64_t epoch() const { return id >> 40; }
  int64_t number() const { return id & 0xffffffffff; }
  friend auto operator<=>(const ContainerId&, const ContainerId&) = default;
};

// A NodeManager, identified by its listening address.
struct NodeId {
  std::string host;
  int32_t port = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

std::string ToText(const ApplicationId& id);  // application_1700000000000_0001
std::string ToText(const AttemptId& id);      // appattempt_1700000000000_0001_000001
std::string ToText(const ContainerId& id);    // container_e17_1700000000000_0001_01_000002; without e17 in epoch 0
std::string ToText(const NodeId& id);         // node7.example.com:45454

// These functions return nullopt if the text is not an id of this kind, or if a number is out of range. Any text is
// safe.
std::optional<ApplicationId> ParseApplicationId(std::string_view text);
std::optional<AttemptId> ParseAttemptId(std::string_view text);
std::optional<ContainerId> ParseContainerId(std::string_view text);
std::optional<NodeId> ParseNodeId(std::string_view text);

ApplicationId FromProto(const ::hadoop::yarn::ApplicationIdProto& proto);
AttemptId FromProto(const ::hadoop::yarn::ApplicationAttemptIdProto& proto);
ContainerId FromProto(const ::hadoop::yarn::ContainerIdProto& proto);
NodeId FromProto(const ::hadoop::yarn::NodeIdProto& proto);

::hadoop::yarn::ApplicationIdProto ToProto(const ApplicationId& id);
::hadoop::yarn::ApplicationAttemptIdProto ToProto(const AttemptId& id);
::hadoop::yarn::ContainerIdProto ToProto(const ContainerId& id);
::hadoop::yarn::NodeIdProto ToProto(const NodeId& id);

}  // namespace howdah::hadoop::yarn
