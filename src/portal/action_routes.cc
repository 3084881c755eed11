#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/client/task_stacks.h"
#include "howdah/core/states.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

Response Accepted(const Json& json, int status) { return web::Json(Dump(json) + "\n", status); }

void Kill(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto grace = GraceOf(request.body);
  if (!grace.ok()) return respond(web::ToResponse(ToProblem(grace.error())));
  const Act act = [grace = *grace, by = RequesterOf(services, request)](Cluster& cluster,
                                                                        const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    const std::string state(core::ToText(view.state));
    if (core::IsFinal(view.state))
      return Accepted({{"text", id.text + " has already finished: " + state + "; nothing to do"}, {"state", state}},
                      200);
    HOWDAH_TRY(const std::string note, cluster.Stop(id, by, grace));
    return Accepted({{"text", id.text + " is being stopped" + (note.empty() ? "" : ": " + note)}, {"state", state}},
                    202);
  };
  Perform(services, request, arguments, {.name = "kill", .arguments = request.body, .act = act}, std::move(respond));
}

void Scale(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto order = ScaleOrderOf(request.body);
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  const Act act = [order = *order, by = RequesterOf(services, request)](Cluster& cluster,
                                                                        const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    if (core::IsFinal(view.state)) {
      return web::ToResponse(
          {.status = 409, .detail = id.text + " has already finished: " + std::string(core::ToText(view.state))});
    }
    HOWDAH_TRY_STATUS(cluster.Scale(id, order.role, order.instances, by));
    return Accepted({{"text", id.text + ": scaling " + order.role + " to " + CountOf(order.instances, "task")}}, 202);
  };
  Perform(services, request, arguments, {.name = "scale", .arguments = request.body, .act = act}, std::move(respond));
}

// An error of the task itself is no failure of the portal: 409.
Response Conflict(const Error& error) {
  return web::ToResponse({.status = 409, .detail = error.WithoutRemedy(), .advice = error.remedy});
}

Result<Response> SampleTask(Cluster& cluster, const JobId& id, const std::string& task,
                            const client::StackOptions& options) {
  HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
  const auto tasks = client::TasksToSample(task, view);
  if (!tasks.ok() && tasks.error().code == ErrorCode::kFailed) return Conflict(tasks.error());
  if (!tasks.ok()) return tasks.error();
  if (tasks->size() > 1) return Error{ErrorCode::kUsage, "task: '" + task + "' has several tasks; write one of them"};
  HOWDAH_TRY(const rpc::AmContact am, cluster.Contact(id));
  const client::TaskSample sample = client::SampleTasks(am, *tasks, options).front();
  if (!sample.stacks.ok() && sample.stacks.error().code == ErrorCode::kFailed) return Conflict(sample.stacks.error());
  if (!sample.stacks.ok()) return sample.stacks.error();
  const size_t processes = sample.stacks->processes.size();
  const std::string text = TaskText(sample.task.role, sample.task.index) + ": " +
                           CountOf(static_cast<int64_t>(processes), "process", "processes") + " of " + id.text +
                           " sampled";
  return web::Json(JoinObjects(Dump({{"text", text}}), client::StacksJson(sample)) + "\n");
}

void SampleStacks(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto order = StackOrderOf(request.body);
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  const auto signal = client::ParseSignal(order->signal);
  if (!signal.ok()) return respond(web::ToResponse(ToProblem(signal.error())));
  const client::StackOptions options{.native = order->native, .signal = *signal};
  const Act act = [task = order->task, options](Cluster& cluster, const JobId& id) {
    return SampleTask(cluster, id, task, options);
  };
  Perform(services, request, arguments, {.name = "stacks", .arguments = request.body, .act = act}, std::move(respond));
}

using Handle = void (*)(Services&, const Request&, const Arguments&, Respond);
auto ActionHandler(Services& services, Handle handle) {
  return [&services, handle](const Request& request, const Arguments& arguments, Respond respond) {
    handle(services, request, arguments, std::move(respond));
  };
}

}  // namespace

void AddActionRoutes(Services& services, web::Routes& routes) {
  const std::pair<int, std::string> read_only = {
      403, "The portal was started with `--read-only`, or the token is read-only."};
  routes.Add({.method = "POST",
              .pattern = Path("jobs/{id}/kill"),
              .summary = "Stop a job",
              .parameters = {JobParameter()},
              .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {"grace": {
  "type": ["string", "null"], "description": "Time between the stop signal and SIGKILL: 30s"}}})",
              .answer = "202 as soon as the job has begun to stop; 200 if it had ended before.",
              .answer_schema = R"({"type": "object", "required": ["text", "state"], "properties": {
  "text": {"type": "string"}, "state": {"type": "string"}}})",
              .answer_statuses = {202, 200},
              .errors = {read_only},
              .tag = "Actions",
              .handler = ActionHandler(services, Kill)});
  routes.Add(
      {.method = "POST",
       .pattern = Path("jobs/{id}/scale"),
       .summary = "Change the number of tasks of an elastic role",
       .parameters = {JobParameter()},
       .body_schema = R"({"type": "object", "additionalProperties": false, "required": ["role", "instances"],
  "properties": {"role": {"type": "string"}, "instances": {"type": "integer", "minimum": 0}}})",
       .answer = "202 when the job has accepted the order.",
       .answer_schema = R"({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})",
       .answer_statuses = {202},
       .errors = {read_only, {409, "The job has ended."}},
       .tag = "Actions",
       .handler = ActionHandler(services, Scale)});
  routes.Add({.method = "POST",
              .pattern = Path("jobs/{id}/stacks"),
              .summary = "Sample the stacks of a running task's processes",
              .parameters = {JobParameter()},
              .body_schema = R"({"type": "object", "additionalProperties": false, "required": ["task"], "properties": {
  "task": {"type": "string"}, "native": {"type": "boolean", "description": "Read native frames, too"},
  "signal": {"type": ["string", "null"], "description": "Registered for faulthandler by the program"}}})",
              .answer = "An element of `tasks` in `howdah stacks --json` "
                        "([inside.md](inside.md#where-a-program-is)), and a `text`.",
              .answer_schema = R"({"type": "object", "required": ["text", "task", "attempt", "processes", "omitted"],
  "properties": {"text": {"type": "string"}, "task": {"type": "string"}, "attempt": {"type": "integer"},
    "omitted": {"type": "integer"}, "processes": {"type": "array", "items": {"type": "object",
      "required": ["pid", "local_rank", "state", "tool", "stacks", "problem"], "properties": {
        "pid": {"type": "integer"}, "local_rank": {"type": ["integer", "null"]}, "state": {"type": "string"},
        "tool": {"type": ["string", "null"]}, "stacks": {"type": ["string", "null"]},
        "problem": {"type": ["string", "null"]}}}}}})",
              .errors = {read_only, {409, "The job has ended, or the task is not running."}},
              .tag = "Actions",
              .handler = ActionHandler(services, SampleStacks)});
}

}  // namespace howdah::portal
