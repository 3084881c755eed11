#include "feed_json.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/json_depth.h"
#include "howdah/journal/job_view.h"
#include "json_fields.h"

namespace howdah::journal {
namespace {

Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json OrNull(const std::optional<int>& number) { return number ? Json(*number) : Json(nullptr); }

Json OrNull(const std::optional<Instant>& time) { return time ? Json(FormatInstant(*time)) : Json(nullptr); }

Json TokensJson(const TokensView& tokens) {
  return {{"until", FormatInstant(tokens.until)}, {"by", OrNull(tokens.by)}, {"expiring", tokens.expiring}};
}

std::optional<TokensView> TokensField(const Json& json) {
  const Json* tokens = Field(json, "tokens");
  if (tokens == nullptr || !tokens->is_object()) return std::nullopt;
  const auto until = TimeField(*tokens, "until");
  if (!until) return std::nullopt;
  const Json* expiring = Field(*tokens, "expiring");
  return TokensView{*until, TextField(*tokens, "by").value_or(""), expiring != nullptr && *expiring == true};
}

Json TaskToJson(const TaskView& task) {
  const std::optional<int> code = task.exit ? task.exit->code : std::nullopt;
  const std::optional<int> signal = task.exit ? task.exit->signal : std::nullopt;
  Json json;
  json["role"] = task.role;
  json["index"] = task.index;
  json["state"] = core::ToText(task.state);
  json["attempt"] = task.attempt;
  json["ready"] = task.ready;
  json["node"] = OrNull(task.node);
  json["container"] = OrNull(task.container);
  json["granted"] = task.granted ? ResourcesJson(*task.granted) : Json(nullptr);
  json["ranks"] = task.ranks;
  json["pids"] = task.pids;
  json["exit_code"] = OrNull(code);
  json["signal"] = signal ? Json(SignalName(*signal)) : Json(nullptr);
  json["reason"] = OrNull(task.reason);
  json["started"] = OrNull(task.started);
  json["finished"] = OrNull(task.finished);
  json["usage"] = UsageJson(task.usage);
  json["progress"] = task.progress ? ProgressJson(*task.progress) : Json(nullptr);
  json["left_files"] = task.left_files ? LeftFilesJson(*task.left_files) : Json(nullptr);
  json["result_bytes"] = task.result_bytes;
  return json;
}

Json ChildToJson(const ChildView& child) {
  return {{"id", child.id},
          {"name", child.name},
          {"type", child.type},
          {"state", child.state},
          {"tracking", OrNull(child.tracking_url)}};
}

std::optional<ChildView> ChildFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto id = TextField(json, "id");
  if (!id) return std::nullopt;
  return ChildView{*id, TextField(json, "name").value_or(""), TextField(json, "type").value_or(""),
                   TextField(json, "state").value_or(""), TextField(json, "tracking").value_or("")};
}

std::optional<TaskView> TaskFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto role = TextField(json, "role");
  const auto index = IntField(json, "index");
  const auto state = core::ParseTaskState(TextField(json, "state").value_or(""));
  if (!role || !index || !state) return std::nullopt;
  TaskView task;
  task.role = *role;
  task.index = *index;
  task.state = *state;
  task.attempt = IntField(json, "attempt").value_or(0);
  const Json* const ready = Field(json, "ready");
  task.ready = ready != nullptr && *ready == true;
  task.node = TextField(json, "node").value_or("");
  task.container = TextField(json, "container").value_or("");
  task.granted = ResourcesField(json, "granted");
  task.ranks = IntsField(json, "ranks").value_or(std::vector<int>());
  task.pids = IntsField(json, "pids").value_or(std::vector<int>());
  task.exit = ExitFields(json);
  task.reason = TextField(json, "reason").value_or("");
  task.started = TimeField(json, "started");
  task.finished = TimeField(json, "finished");
  task.usage = UsageField(json).value_or(Usage());
  task.progress = ProgressField(json);
  task.left_files = LeftFilesField(json);
  task.result_bytes = IntsField(json, "result_bytes").value_or(std::vector<int>());
  return task;
}

}  // namespace

std::string ToJson(const JobView& view, bool with_tasks) {
  Json json;
  json["id"] = view.id;
  json["name"] = view.name;
  json["state"] = core::ToText(view.state);
  json["exit_code"] = OrNull(view.exit_code);
  json["on"] = view.on;
  json["framework"] = view.framework;
  json["generation"] = view.generation;
  json["reason"] = OrNull(view.reason);
  json["advice"] = OrNull(view.advice);
  json["cause"] = view.cause ? CauseJson(*view.cause) : Json(nullptr);
  json["submitted"] = OrNull(view.submitted);
  json["started"] = OrNull(view.started);
  json["finished"] = OrNull(view.finished);
  json["tokens"] = view.tokens ? TokensJson(*view.tokens) : Json(nullptr);
  json["urls"] = {{"tracking", OrNull(view.tracking_url)}, {"tensorboard", OrNull(view.tensorboard_url)}};
  if (with_tasks) {
    Json tasks = Json::array();
    for (const TaskView& task : view.tasks) tasks.push_back(TaskToJson(task));
    json["tasks"] = std::move(tasks);
    Json children = Json::array();
    for (const ChildView& child : view.children) children.push_back(ChildToJson(child));
    json["children"] = std::move(children);
    if (!view.feeds.empty()) json["feeds"] = FeedsJson(view.feeds);
    json["account"] = Parse(view.time_breakdown.ToJson());
    if (!view.time_breakdown.empty()) json["account"]["resources"] = Parse(view.hardware.ToJson(view.time_breakdown));
  }
  return Dump(json);
}

std::optional<JobView> FromJson(std::string_view text) {
  constexpr int kMostNesting = 10;  // the output of ToJson nests 5 levels
  if (NestsDeeper(text, kMostNesting)) return std::nullopt;
  const Json json = Parse(text);
  if (!json.is_object()) return std::nullopt;
  const auto id = TextField(json, "id");
  const auto state = core::ParseJobState(TextField(json, "state").value_or(""));
  if (!id || !state) return std::nullopt;
  JobView view;
  view.id = *id;
  view.name = TextField(json, "name").value_or("");
  view.state = *state;
  view.exit_code = IntField(json, "exit_code");
  view.on = TextField(json, "on").value_or("");
  view.framework = TextField(json, "framework").value_or("");
  view.generation = IntField(json, "generation").value_or(0);
  view.reason = TextField(json, "reason").value_or("");
  view.advice = TextField(json, "advice").value_or("");
  view.cause = CauseField(json);
  view.submitted = TimeField(json, "submitted");
  view.started = TimeField(json, "started");
  view.finished = TimeField(json, "finished");
  view.tokens = TokensField(json);
  if (const Json* urls = Field(json, "urls"); urls != nullptr && urls->is_object()) {
    view.tracking_url = TextField(*urls, "tracking").value_or("");
    view.tensorboard_url = TextField(*urls, "tensorboard").value_or("");
  }
  if (const Json* children = Field(json, "children"); children != nullptr && children->is_array()) {
    for (const Json& child : *children) {
      if (auto one = ChildFromJson(child)) view.children.push_back(std::move(*one));
    }
  }
  view.feeds = FeedsField(json);
  if (const Json* account = Field(json, "account"); account != nullptr && account->is_object()) {
    view.time_breakdown = TimeBreakdown::FromJson(account->dump());
    if (const Json* resources = Field(*account, "resources")) view.hardware = HardwareTime::FromJson(resources->dump());
  }
  if (const Json* tasks = Field(json, "tasks"); tasks != nullptr && tasks->is_array()) {
    for (const Json& item : *tasks) {
      auto task = TaskFromJson(item);
      if (!task) return std::nullopt;
      view.tasks.push_back(std::move(*task));
    }
  }
  return view;
}

}  // namespace howdah::journal
