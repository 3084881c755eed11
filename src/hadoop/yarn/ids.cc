#include "howdah/hadoop/yarn/ids.h"

#include <vector>

#include "howdah/base/number.h"

namespace howdah::hadoop::yarn {
namespace {

constexpr int64_t kMaxEpoch = (int64_t{1} << 23) - 1, kMaxNumber = (int64_t{1} << 40) - 1;

std::string Padded(int64_t value, size_t width) {
  std::string digits = std::to_string(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// Parses a number that consists of digits only (no sign, no space) and is at most `most`.
std::optional<int64_t> Number(std::string_view text, int64_t most) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto value = ParseNumber<int64_t>(text);
  return value && *value <= most ? value : std::nullopt;
}

std::vector<std::string_view> Fields(std::string_view text) {
  std::vector<std::string_view> fields;
  for (size_t at = 0;;) {
    const size_t end = text.find('_', at);
    fields.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return fields;
    at = end + 1;
  }
}

std::optional<ApplicationId> Application(std::string_view timestamp, std::string_view id) {
  const auto t = Number(timestamp, INT64_MAX), n = Number(id, INT32_MAX);
  if (!t || !n) return std::nullopt;
  return ApplicationId{*t, static_cast<int32_t>(*n)};
}

std::optional<AttemptId> Attempt(std::string_view timestamp, std::string_view id, std::string_view attempt) {
  const auto application = Application(timestamp, id);
  const auto n = Number(attempt, INT32_MAX);
  if (!application || !n) return std::nullopt;
  return AttemptId{*application, static_cast<int32_t>(*n)};
}

}  // namespace

std::string ToText(const ApplicationId& id) {
  return "application_" + std::to_string(id.cluster_timestamp) + "_" + Padded(id.id, 4);
}

std::string ToText(const AttemptId& id) {
  return "appattempt_" + std::to_string(id.application.cluster_timestamp) + "_" + Padded(id.application.id, 4) + "_" +
         Padded(id.attempt, 6);
}

std::string ToText(const ContainerId& id) {
  const std::string epoch = id.epoch() > 0 ? "e" + Padded(id.epoch(), 2) + "_" : "";
  return "container_" + epoch + std::to_string(id.attempt.application.cluster_timestamp) + "_" +
         Padded(id.attempt.application.id, 4) + "_" + Padded(id.attempt.attempt, 2) + "_" + Padded(id.number(), 6);
}

std::string ToText(const NodeId& id) { return id.host + ":" + std::to_string(id.port); }

std::optional<ApplicationId> ParseApplicationId(std::string_view text) {
  const auto f = Fields(text);
  if (f.size() != 3 || f[0] != "application") return std::nullopt;
  return Application(f[1], f[2]);
}

std::optional<AttemptId> ParseAttemptId(std::string_view text) {
  const auto f = Fields(text);
  if (f.size() != 4 || f[0] != "appattempt") return std::nullopt;
  return Attempt(f[1], f[2], f[3]);
}

std::optional<ContainerId> ParseContainerId(std::string_view text) {
  const auto f = Fields(text);
  if (f.size() < 5 || f.size() > 6 || f[0] != "container") return std::nullopt;
  const size_t first = f.size() - 4;
  std::optional<int64_t> epoch = 0;
  if (first == 2) epoch = f[1].starts_with('e') ? Number(f[1].substr(1), kMaxEpoch) : std::nullopt;
  const auto attempt = Attempt(f[first], f[first + 1], f[first + 2]);
  const auto number = Number(f[first + 3], kMaxNumber);
  if (!epoch || !attempt || !number) return std::nullopt;
  return ContainerId{*attempt, *epoch << 40 | *number};
}

std::optional<NodeId> ParseNodeId(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto port = Number(text.substr(colon + 1), 65535);
  if (!port) return std::nullopt;
  return NodeId{std::string(text.substr(0, colon)), static_cast<int32_t>(*port)};
}

ApplicationId FromProto(const ::hadoop::yarn::ApplicationIdProto& proto) {
  return {proto.cluster_timestamp(), proto.id()};
}

AttemptId FromProto(const ::hadoop::yarn::ApplicationAttemptIdProto& proto) {
  return {FromProto(proto.application_id()), proto.attemptid()};
}

ContainerId FromProto(const ::hadoop::yarn::ContainerIdProto& proto) {
  return {FromProto(proto.app_attempt_id()), proto.id()};
}

NodeId FromProto(const ::hadoop::yarn::NodeIdProto& proto) { return {proto.host(), proto.port()}; }

::hadoop::yarn::ApplicationIdProto ToProto(const ApplicationId& id) {
  ::hadoop::yarn::ApplicationIdProto proto;
  proto.set_cluster_timestamp(id.cluster_timestamp);
  proto.set_id(id.id);
  return proto;
}

::hadoop::yarn::ApplicationAttemptIdProto ToProto(const AttemptId& id) {
  ::hadoop::yarn::ApplicationAttemptIdProto proto;
  *proto.mutable_application_id() = ToProto(id.application);
  proto.set_attemptid(id.attempt);
  return proto;
}

::hadoop::yarn::ContainerIdProto ToProto(const ContainerId& id) {
  ::hadoop::yarn::ContainerIdProto proto;
  *proto.mutable_app_attempt_id() = ToProto(id.attempt);
  proto.set_id(id.id);
  return proto;
}

::hadoop::yarn::NodeIdProto ToProto(const NodeId& id) {
  ::hadoop::yarn::NodeIdProto proto;
  proto.set_host(id.host);
  proto.set_port(id.port);
  return proto;
}

}  // namespace howdah::hadoop::yarn
