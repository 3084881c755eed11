#include "howdah/backend/yarn/am_start.h"
#include "submit.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;
constexpr int64_t kAmMib = 32;
constexpr int64_t kTasksPerMib = 4;
constexpr int64_t kTensorboardMib = 1024;
constexpr char kType[] = "HOWDAH";

}  // namespace

int64_t AmMemoryMib(const jobspec::JobSpec& spec) {
  if (spec.am.memory_bytes > 0) return (spec.am.memory_bytes + kMib - 1) / kMib;
  int64_t tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) tasks += role.instances.max;
  return kAmMib + (tasks + kTasksPerMib - 1) / kTasksPerMib + (spec.tensorboard_logdir.empty() ? 0 : kTensorboardMib);
}

::hadoop::yarn::ApplicationSubmissionContextProto SubmissionContext(
    const jobspec::JobSpec& spec, const hadoop::yarn::ApplicationId& id,
    const std::map<std::string, LocalResource>& am_resources, const hadoop::rpc::Credentials& credentials) {
  ::hadoop::yarn::ApplicationSubmissionContextProto context;
  *context.mutable_application_id() = hadoop::yarn::ToProto(id);
  context.set_application_name(spec.name);
  context.set_applicationtype(kType);
  if (!spec.queue.empty()) context.set_queue(spec.queue);
  if (spec.priority) context.mutable_priority()->set_priority(*spec.priority);
  for (const std::string& tag : spec.tags) context.add_applicationtags(tag);
  context.set_maxappattempts(spec.am.attempts);
  context.set_attempt_failures_validity_interval(
      std::chrono::duration_cast<std::chrono::milliseconds>(kAttemptFailureWindow).count());
  context.set_keep_containers_across_application_attempts(true);
  if (!spec.node_label.empty()) context.set_node_label_expression(spec.node_label);

  ::hadoop::yarn::ContainerLaunchContextProto& am = *context.mutable_am_container_spec();
  for (const auto& [name, resource] : am_resources) {
    auto& entry = *am.add_localresources();
    entry.set_key(name);
    *entry.mutable_value() = ToProto(resource);
  }
  am.set_tokens(hadoop::rpc::WriteCredentials(credentials));
  am.add_command("exec ./howdah-agent am --yarn 1><LOG_DIR>/am.stdout 2><LOG_DIR>/am.stderr");

  hadoop::yarn::Resource resource;
  resource.memory_mib = AmMemoryMib(spec);
  resource.vcores = spec.am.vcores;
  *context.mutable_resource() = hadoop::yarn::ToProto(resource);
  return context;
}

}  // namespace howdah::backend::yarn::client
