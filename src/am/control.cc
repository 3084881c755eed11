// What clients may ask of a running job.
#include "application_master.h"

namespace howdah::am {
namespace {

wire::ControlReply Refuse(std::string why) {
  wire::ControlReply reply;
  reply.set_error(std::move(why));
  return reply;
}

}  // namespace

void ApplicationMaster::OnControl(const wire::ControlRequest& request,
                                  const std::function<void(wire::ControlReply)>& reply) {
  switch (request.kind_case()) {
    case wire::ControlRequest::kStatus:
      return reply(StatusReply());
    case wire::ControlRequest::kStop:
      return reply(Stop(request.stop()));
    case wire::ControlRequest::kScale:
      return reply(Scale(request.scale()));
    default:
      return reply(
          Refuse("the application master does not know this request; client and job are of different versions"));
  }
}

journal::JobView ApplicationMaster::ViewWithUsage() const {
  journal::JobView view = view_;
  for (journal::TaskView& task : view.tasks) {
    if (const journal::Usage* usage = executors_.usage(ContainerId{task.container})) task.usage = *usage;
    const auto* progress = executors_.progress(ContainerId{task.container});
    if (progress != nullptr && progress->attempt == task.attempt) task.progress = progress->told;
  }
  return view;
}

wire::ControlReply ApplicationMaster::StatusReply() const {
  wire::ControlReply reply;
  reply.set_status_json(journal::ToJson(ViewWithUsage(), true));
  return reply;
}

wire::ControlReply ApplicationMaster::Stop(const wire::StopRequest& request) {
  core::StopRequested event{request.by(), std::nullopt};
  if (request.has_grace_micros()) event.grace = Duration(std::max<int64_t>(0, request.grace_micros()));
  Post(std::move(event));
  return {};
}

wire::ControlReply ApplicationMaster::Scale(const wire::ScaleRequest& request) {
  for (size_t role = 0; role < options_.spec.roles.size(); ++role) {
    const jobspec::RoleSpec& spec = options_.spec.roles[role];
    if (spec.name != request.role()) continue;
    const std::string range = std::to_string(spec.instances.min) + " to " + std::to_string(spec.instances.max);
    if (!spec.instances.elastic()) {
      return Refuse("role " + spec.name + " is not elastic; write `instances: {min: 1, max: 8}` in the job file");
    }
    if (request.instances() < spec.instances.min || request.instances() > spec.instances.max) {
      return Refuse("role " + spec.name + " may have " + range + " instances, not " +
                    std::to_string(request.instances()));
    }
    Post(core::ScaleRequested{static_cast<int>(role), request.instances(), request.by()});
    return {};
  }
  std::string roles;
  for (const jobspec::RoleSpec& spec : options_.spec.roles) roles += (roles.empty() ? "" : ", ") + spec.name;
  return Refuse("the job has no role " + request.role() + "; its roles are " + roles);
}

Tunnels::World ApplicationMaster::TunnelWorld() {
  return {.server = [this]() -> rpc::AmServer& { return *server_; },
          .container = [this](const std::string& role, int index) -> Result<ContainerId> {
            const std::string name = TaskText(role, index);
            const journal::TaskView* task = view_.Find(role, index);
            if (task == nullptr) return Failed("the job has no task " + name);
            const ContainerId container{task->container};
            if (!executors_.connected(container)) {
              return Failed(name + " does not run: it is " + std::string(core::ToText(task->state)));
            }
            return container;
          },
          .order = [this](const ContainerId& c, const wire::ToExecutor& order) { executors_.Order(c, order); },
          .tensorboard = [this]() -> Result<uint16_t> {
            if (!tensorboard_)
              return Failed("the job has no TensorBoard; write `tensorboard: {logdir: ...}` in its file");
            return tensorboard_->port();
          }};
}

}  // namespace howdah::am
