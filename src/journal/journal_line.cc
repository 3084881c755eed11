#include <variant>

#include "entry_types.h"
#include "howdah/base/exit_status.h"
#include "howdah/journal/job_view.h"
#include "json_fields.h"

namespace howdah::journal {
namespace {

// The most tasks that a job may have (kMostTasks of src/jobspec/key_table.h). A larger number in a damaged journal, or
// in that of another user, must not create that many objects in memory.
constexpr int kMostTasks = 100'000;

template <typename T>
void Put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

void Put(Json& json, const char* name, const std::optional<Instant>& value) {
  if (value) json[name] = FormatInstant(*value);
}

void PutFields(Json& json, const core::JobSubmitted& change) {
  json["id"] = change.id;
  json["name"] = change.name;
  json["on"] = change.on;
  json["framework"] = change.framework;
  json["user"] = change.user;
  json["host"] = change.host;
  Json roles = Json::array();
  for (const auto& role : change.roles) {
    Json& item = roles.emplace_back(Json{{"name", role.name}, {"instances", role.instances}});
    if (role.later) item["later"] = true;
  }
  json["roles"] = std::move(roles);
}

void PutFields(Json& json, const core::JobChanged& change) {
  if (change.state) json["state"] = core::ToText(*change.state);
  Put(json, "generation", change.generation);
  Put(json, "am_attempt", change.am_attempt);
  Put(json, "reason", change.reason);
  Put(json, "advice", change.advice);
  if (change.cause) json["cause"] = CauseJson(*change.cause);
  Put(json, "exit_code", change.exit_code);
  Put(json, "tracking_url", change.tracking_url);
  Put(json, "tensorboard_url", change.tensorboard_url);
}

void PutFields(Json& json, const core::TaskChanged& change) {
  json["role"] = change.role;
  json["index"] = change.index;
  json["state"] = core::ToText(change.state);
  json["attempt"] = change.attempt;
  Put(json, "generation", change.generation);
  Put(json, "node", change.node);
  Put(json, "container", change.container);
  Put(json, "host", change.host);
  Put(json, "port", change.port);
  Put(json, "ranks", change.ranks);
  Put(json, "pids", change.pids);
  if (change.exit) Put(json, "exit_code", change.exit->code);
  if (change.exit && change.exit->signal) json["signal"] = SignalName(*change.exit->signal);
  Put(json, "reason", change.reason);
  Put(json, "advice", change.advice);
  Put(json, "started", change.started);
  Put(json, "finished", change.finished);
  if (change.filling) json["filling_seconds"] = Seconds(*change.filling);
  if (change.usage) json["usage"] = UsageJson(*change.usage);
  if (change.progress) json["progress"] = ProgressJson(*change.progress);
  if (change.left_files) json["left_files"] = LeftFilesJson(*change.left_files);
  Put(json, "result_bytes", change.result_bytes);
}

void PutFields(Json& json, const core::RoleScaled& change) {
  json["role"] = change.role;
  json["from"] = change.from;
  json["to"] = change.to;
  json["by"] = change.by;
}

void PutFields(Json& json, const core::ContainerChanged& change) {
  json["container"] = change.container;
  Put(json, "node", change.node);
  if (change.granted) json["granted"] = ResourcesJson(*change.granted);
  Put(json, "since", change.since);
}

void PutFields(Json& json, const core::TokensChanged& change) {
  json["until"] = FormatInstant(change.until);
  json["by"] = change.by;
}

std::optional<core::Change> ReadSubmitted(const Json& json) {
  core::JobSubmitted change;
  change.id = TextField(json, "id").value_or("");
  change.name = TextField(json, "name").value_or("");
  change.on = TextField(json, "on").value_or("");
  change.framework = TextField(json, "framework").value_or("");
  change.user = TextField(json, "user").value_or("");
  change.host = TextField(json, "host").value_or("");
  const Json* roles = Field(json, "roles");
  if (change.id.empty() || roles == nullptr || !roles->is_array()) return std::nullopt;
  int left = kMostTasks;
  for (const Json& item : *roles) {
    if (!item.is_object()) return std::nullopt;
    const auto name = TextField(item, "name");
    const auto instances = IntField(item, "instances");
    if (!name || !instances || *instances < 0 || *instances > left) return std::nullopt;
    left -= *instances;
    const Json* later = Field(item, "later");
    change.roles.push_back({*name, *instances, later != nullptr && *later == true});
  }
  return change;
}

std::optional<core::Change> ReadJob(const Json& json, core::JobChanged::Type type) {
  core::JobChanged change;
  change.type = type;
  if (const auto state = TextField(json, "state")) change.state = core::ParseJobState(*state);
  change.generation = IntField(json, "generation");
  change.am_attempt = IntField(json, "am_attempt");
  change.reason = TextField(json, "reason");
  change.advice = TextField(json, "advice");
  change.cause = CauseField(json);
  change.exit_code = IntField(json, "exit_code");
  change.tracking_url = TextField(json, "tracking_url");
  change.tensorboard_url = TextField(json, "tensorboard_url");
  return change;
}

std::optional<core::Change> ReadTask(const Json& json, core::TaskChanged::Type type) {
  const auto role = TextField(json, "role");
  const auto index = IntField(json, "index");
  const auto state = core::ParseTaskState(TextField(json, "state").value_or(""));
  const auto attempt = IntField(json, "attempt");
  if (!role || !index || *index < 0 || !state || !attempt) return std::nullopt;
  core::TaskChanged change;
  change.type = type;
  change.role = *role;
  change.index = *index;
  change.state = *state;
  change.attempt = *attempt;
  change.generation = IntField(json, "generation");
  change.node = TextField(json, "node");
  change.container = TextField(json, "container");
  change.host = TextField(json, "host");
  change.port = IntField(json, "port");
  change.ranks = IntsField(json, "ranks");
  change.pids = IntsField(json, "pids");
  change.exit = ExitFields(json);
  change.reason = TextField(json, "reason");
  change.advice = TextField(json, "advice");
  change.started = TimeField(json, "started");
  change.finished = TimeField(json, "finished");
  change.filling = SecondsField(json, "filling_seconds");
  change.usage = UsageField(json);
  change.progress = ProgressField(json);
  change.left_files = LeftFilesField(json);
  change.result_bytes = IntsField(json, "result_bytes");
  return change;
}

std::optional<core::Change> ReadScaled(const Json& json) {
  const auto role = TextField(json, "role");
  const auto from = IntField(json, "from");
  const auto to = IntField(json, "to");
  if (!role || !from || !to) return std::nullopt;
  return core::RoleScaled{*role, *from, *to, TextField(json, "by").value_or("")};
}

std::optional<core::Change> ReadContainer(const Json& json, core::ContainerChanged::Type type) {
  const auto container = TextField(json, "container");
  if (!container) return std::nullopt;
  return core::ContainerChanged{.type = type,
                                .container = *container,
                                .node = TextField(json, "node"),
                                .granted = ResourcesField(json, "granted"),
                                .since = TimeField(json, "since")};
}

std::optional<core::Change> ReadTokens(const Json& json, core::TokensChanged::Type type) {
  const auto until = TimeField(json, "until");
  if (!until) return std::nullopt;
  return core::TokensChanged{type, *until, TextField(json, "by").value_or("")};
}

std::optional<core::Change> ReadChange(const Json& json, std::string_view type) {
  if (type == kJobSubmitted) return ReadSubmitted(json);
  if (type == kRoleScaled) return ReadScaled(json);
  for (const auto& word : kJobWords) {
    if (word.word == type) return ReadJob(json, word.type);
  }
  for (const auto& word : kTaskWords) {
    if (word.word == type) return ReadTask(json, word.type);
  }
  for (const auto& word : kContainerWords) {
    if (word.word == type) return ReadContainer(json, word.type);
  }
  for (const auto& word : kTokensWords) {
    if (word.word == type) return ReadTokens(json, word.type);
  }
  return std::nullopt;
}

}  // namespace

std::string EncodeEntry(const core::JournalEntry& entry) {
  Json json;
  json["time"] = FormatInstant(entry.time);
  json["type"] = TypeOf(entry.change);
  std::visit([&](const auto& change) { PutFields(json, change); }, entry.change);
  return Dump(json);
}

std::optional<core::JournalEntry> DecodeEntry(std::string_view line) {
  const Json json = Parse(line);
  if (!json.is_object()) return std::nullopt;
  const auto time = TimeField(json, "time");
  const auto type = TextField(json, "type");
  if (!time || !type) return std::nullopt;
  auto change = ReadChange(json, *type);
  if (!change) return std::nullopt;
  return core::JournalEntry{*time, std::move(*change)};
}

}  // namespace howdah::journal
