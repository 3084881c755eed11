#include "control.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "howdah/base/epoch.h"

namespace howdah::am {
namespace {

wire::ControlReply Refuse(std::string why) {
  wire::ControlReply reply;
  reply.set_error(std::move(why));
  return reply;
}

wire::ControlReply NeverPossible(std::string why) {
  wire::ControlReply reply = Refuse(std::move(why));
  reply.set_never(true);
  return reply;
}

}  // namespace

Control::Control(const jobspec::JobSpec& spec, std::function<journal::JobView()> view,
                 std::function<void(core::Event)> post, ReplaceTokens replace_tokens)
    : spec_(spec), view_(std::move(view)), post_(std::move(post)), replace_tokens_(std::move(replace_tokens)) {}

wire::ControlReply Control::Answer(const wire::ControlRequest& request) const {
  switch (request.kind_case()) {
    case wire::ControlRequest::kStatus:
      return Status();
    case wire::ControlRequest::kStop:
      return Stop(request.stop());
    case wire::ControlRequest::kScale:
      return Scale(request.scale());
    case wire::ControlRequest::kRenewTokens:
      return Renew(request.renew_tokens());
    default:
      return Refuse(
          "the application master does not support this request; use the version of howdah that submitted the job");
  }
}

wire::ControlReply Control::Status() const {
  wire::ControlReply reply;
  reply.set_status_json(journal::ToJson(view_(), true));
  return reply;
}

wire::ControlReply Control::Stop(const wire::StopRequest& request) const {
  core::StopRequested event{request.by(), std::nullopt};
  if (request.has_grace_micros()) event.grace = DurationFromMicros(request.grace_micros());
  post_(std::move(event));
  return {};
}

wire::ControlReply Control::Scale(const wire::ScaleRequest& request) const {
  std::string roles;
  for (size_t role = 0; role < spec_.roles.size(); ++role) {
    const jobspec::RoleSpec& spec = spec_.roles[role];
    roles += (roles.empty() ? "" : ", ") + spec.name;
    if (spec.name != request.role()) continue;
    if (!spec.instances.elastic()) {
      return NeverPossible("role " + spec.name +
                           " is not elastic; write `instances: {min: 1, max: 8}` in the job file");
    }
    if (request.instances() < spec.instances.min || request.instances() > spec.instances.max) {
      return NeverPossible("role " + spec.name + " may have " + std::to_string(spec.instances.min) + " to " +
                           std::to_string(spec.instances.max) + " instances, not " +
                           std::to_string(request.instances()));
    }
    post_(core::ScaleRequested{static_cast<int>(role), request.instances(), request.by()});
    return {};
  }
  return NeverPossible("the job has no role " + request.role() + "; its roles are " + roles);
}

wire::ControlReply Control::Renew(const wire::RenewTokensRequest& request) const {
  const auto outcome = replace_tokens_(request.tokens());
  if (!outcome.ok()) return Refuse(outcome.error().message);
  wire::ControlReply reply;
  reply.set_tokens_until_micros(outcome->until.time_since_epoch().count());
  reply.set_tokens_replaced(outcome->replaced);
  return reply;
}

}  // namespace howdah::am
