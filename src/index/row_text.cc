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

const Json* Field(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string Text(const Json& json, const char* name) {
  const Json* field = Field(json, name);
  return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

std::vector<std::string> Texts(const Json& json, const char* name) {
  std::vector<std::string> texts;
  const Json* field = Field(json, name);
  if (field == nullptr || !field->is_array()) return texts;
  for (const Json& item : *field) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<int64_t> Integer(const Json& json, const char* name) {
  const Json* field = Field(json, name);
  if (field == nullptr || !field->is_number_integer()) return std::nullopt;
  return field->get<int64_t>();
}

std::optional<double> Number(const Json& json, const char* name) {
  const Json* field = Field(json, name);
  if (field == nullptr || !field->is_number()) return std::nullopt;
  return field->get<double>();
}

std::optional<Instant> Time(const Json& json, const char* name) {
  const auto micros = Integer(json, name);
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
  const Json* field = Field(json, "progress");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  return JobProgress{Integer(*field, "step"), Integer(*field, "steps"), Number(*field, "rate"), Time(*field, "at")};
}

std::optional<Severity> ReadSeverity(const Json& json) {
  const std::string text = Text(json, "severity");
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
  const auto state = core::ParseJobState(Text(json, "state"));
  JobRow row{.id = Text(json, "id")};
  if (row.id.empty() || !state) return std::nullopt;
  row.name = Text(json, "name");
  row.user = Text(json, "user");
  row.queue = Text(json, "queue");
  row.backend = Text(json, "backend");
  row.framework = Text(json, "framework");
  row.reason = Text(json, "reason");
  row.state = *state;
  row.tags = Texts(json, "tags");
  row.nodes = Texts(json, "nodes");
  row.checks = Texts(json, "checks");
  row.submitted = Time(json, "submitted");
  row.started = Time(json, "started");
  row.finished = Time(json, "finished");
  row.running_tasks = Integer(json, "running_tasks").value_or(0);
  row.tasks = Integer(json, "tasks").value_or(0);
  row.gpus = Integer(json, "gpus");
  row.progress = ReadProgress(json);
  row.goodput = Number(json, "goodput");
  row.findings = Integer(json, "findings");
  row.severity = ReadSeverity(json);
  row.cost = Number(json, "cost");
  row.currency = Text(json, "currency");
  return row;
}

}  // namespace howdah::index
