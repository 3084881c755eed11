#include "am_client.h"

#include <nlohmann/json.hpp>

#include "howdah/backend/local/agent.h"
#include "howdah/os/files/files.h"
#include "howdah/rpc/control_client.h"

namespace howdah::backend::local {
namespace {

// A status call has a short limit, because a user is waiting for the answer.
constexpr Duration kStatusLimit = std::chrono::seconds(2);
constexpr Duration kOrderLimit = std::chrono::seconds(10);

Error NotReachable(const std::string& why) {
  return {ErrorCode::kUnavailable, "the application master cannot be reached: " + why};
}

Result<wire::ControlReply> Ask(const JobFiles& files, const wire::ControlRequest& request, Duration limit) {
  HOWDAH_TRY(const auto am, FindAm(files));
  return rpc::CallAm(am.address, am.identity, request, limit);
}

}  // namespace

Result<std::string> AmAddress(const JobFiles& files) {
  const auto text = os::files::ReadFile(files.am_address());
  if (!text.ok()) return NotReachable(text.error().message);
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("address") || !json["address"].is_string()) {
    return NotReachable(files.am_address() + " has no address");
  }
  return json["address"].get<std::string>();
}

Result<rpc::AmContact> FindAm(const JobFiles& files) {
  HOWDAH_TRY(const auto address, AmAddress(files));
  auto identity = ReadIdentity(files.tls(), "client");
  if (!identity.ok()) return NotReachable(identity.error().message);
  return rpc::AmContact{address, std::move(*identity)};
}

Result<journal::JobView> CallStatus(const JobFiles& files) {
  wire::ControlRequest request;
  request.mutable_status();
  HOWDAH_TRY(const auto reply, Ask(files, request, kStatusLimit));
  auto view = journal::FromJson(reply.status_json());
  if (!view) return NotReachable("its answer is not a status");
  return std::move(*view);
}

Status CallStop(const JobFiles& files, const std::string& by, std::optional<Duration> grace) {
  wire::ControlRequest request;
  request.mutable_stop()->set_by(by);
  if (grace) request.mutable_stop()->set_grace_micros(grace->count());
  const auto reply = Ask(files, request, kOrderLimit);
  return reply.ok() ? Status() : Status(reply.error());
}

Status CallScale(const JobFiles& files, const std::string& role, int instances, const std::string& by) {
  wire::ControlRequest request;
  request.mutable_scale()->set_role(role);
  request.mutable_scale()->set_instances(instances);
  request.mutable_scale()->set_by(by);
  const auto reply = Ask(files, request, kOrderLimit);
  return reply.ok() ? Status() : Status(reply.error());
}

}  // namespace howdah::backend::local
