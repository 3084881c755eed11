#include "row_text.h"

#include <array>
#include <nlohmann/json.hpp>

#include "howdah/base/epoch.h"
#include "howdah/base/json_depth.h"

namespace howdah::index {
namespace {

using advice::Severity;
using query::JobProgress;
using query::JobRow;
using Json = nlohmann::json;

constexpr int kMostNesting = 3;  // WriteRow nests two levels

template <typename Value>
void Add(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

void Add(Json& json, const char* name, const std::optional<Instant>& time) {
  if (time) json[name] = time->time_since_epoch().count();
}

const Json* FieldOf(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string TextField(const Json& json, const char* name) {
  const Json* field = FieldOf(json, name);
  return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

std::vector<std::string> TextsField(const Json& json, const char* name) {
  std::vector<std::string> texts;
  const Json* field = FieldOf(json, name);
  if (field == nullptr || !field->is_array()) return texts;
  for (const Json& item : *field) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<int64_t> IntegerField(const Json& json, const char* name) {
  const Json* field = FieldOf(json, name);
  if (field == nullptr || !field->is_number_integer()) return std::nullopt;
  return field->get<int64_t>();
}

std::optional<double> NumberField(const Json& json, const char* name) {
  const Json* field = FieldOf(json, name);
  if (field == nullptr || !field->is_number()) return std::nullopt;
  return field->get<double>();
}

std::optional<Instant> TimeField(const Json& json, const char* name) {
  const auto micros = IntegerField(json, name);
  if (!micros) return std::nullopt;
  return FromMicros(*micros);
}

Json WriteProgress(const JobProgress& progress) {
  Json json = Json::object();
  Add(json, "step", progress.step);
  Add(json, "steps", progress.steps);
  Add(json, "rate", progress.steps_per_second);
  Add(json, "at", progress.at);
  return json;
}

std::optional<JobProgress> ReadProgress(const Json& json) {
  const Json* field = FieldOf(json, "progress");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  return JobProgress{IntegerField(*field, "step"), IntegerField(*field, "steps"), NumberField(*field, "rate"),
                     TimeField(*field, "at")};
}

std::optional<Severity> ReadSeverity(const Json& json) {
  const std::string text = TextField(json, "severity");
  for (const Severity each : {Severity::kLow, Severity::kModerate, Severity::kSevere, Severity::kCritical}) {
    if (advice::ToText(each) == text) return each;
  }
  return std::nullopt;
}

}  // namespace

std::string WriteRow(const JobRow& row) {
  Json json = {{"id", row.id},           {"name", row.name},
               {"user", row.user},       {"queue", row.queue},
               {"backend", row.backend}, {"framework", row.framework},
               {"reason", row.reason},   {"state", core::ToText(row.state)},
               {"tags", row.tags},       {"nodes", row.nodes},
               {"checks", row.checks},   {"running_tasks", row.running_tasks},
               {"tasks", row.tasks},     {"currency", row.currency}};
  Add(json, "submitted", row.submitted);
  Add(json, "started", row.started);
  Add(json, "finished", row.finished);
  Add(json, "gpus", row.gpus);
  if (row.progress) json["progress"] = WriteProgress(*row.progress);
  Add(json, "goodput", row.goodput);
  Add(json, "findings", row.findings);
  if (row.severity) json["severity"] = advice::ToText(*row.severity);
  Add(json, "cost", row.cost);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<JobRow> ReadRow(std::string_view text) {
  if (NestsDeeper(text, kMostNesting)) return std::nullopt;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto state = core::ParseJobState(TextField(json, "state"));
  JobRow row{.id = TextField(json, "id")};
  row.backend = TextField(json, "backend");
  if (row.id.empty() || row.backend.empty() || !state) return std::nullopt;
  row.name = TextField(json, "name");
  row.user = TextField(json, "user");
  row.queue = TextField(json, "queue");
  row.framework = TextField(json, "framework");
  row.reason = TextField(json, "reason");
  row.state = *state;
  row.tags = TextsField(json, "tags");
  row.nodes = TextsField(json, "nodes");
  row.checks = TextsField(json, "checks");
  row.submitted = TimeField(json, "submitted");
  row.started = TimeField(json, "started");
  row.finished = TimeField(json, "finished");
  row.running_tasks = IntegerField(json, "running_tasks").value_or(0);
  row.tasks = IntegerField(json, "tasks").value_or(0);
  row.gpus = IntegerField(json, "gpus");
  row.progress = ReadProgress(json);
  row.goodput = NumberField(json, "goodput");
  row.findings = IntegerField(json, "findings");
  row.severity = ReadSeverity(json);
  row.cost = NumberField(json, "cost");
  row.currency = TextField(json, "currency");
  return row;
}

}  // namespace howdah::index
