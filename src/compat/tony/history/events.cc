#include "howdah/compat/tony/history/events.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/compat/tony/avro/container.h"

namespace howdah::compat::tony::history {
namespace {

using compat::tony::avro::Json;

constexpr size_t kMostEvents = 500'000;
constexpr std::string_view kNamespace = "com.linkedin.tony.events";

struct TypeNames {
  Event::Type type;
  std::string_view symbol;  // the type's symbol in the schema's EventType
  std::string_view record;
};
// The types in the order of the schema's enum.
constexpr TypeNames kTypes[] = {{Event::Type::kApplicationInited, "APPLICATION_INITED", "ApplicationInited"},
                                {Event::Type::kApplicationFinished, "APPLICATION_FINISHED", "ApplicationFinished"},
                                {Event::Type::kTaskStarted, "TASK_STARTED", "TaskStarted"},
                                {Event::Type::kTaskFinished, "TASK_FINISHED", "TaskFinished"}};

Json Text() { return {{"type", "string"}, {"avro.java.string", "String"}}; }
Json Field(const char* name, Json type) { return {{"name", name}, {"type", std::move(type)}}; }
Json OptionalTextField(const char* name) {
  Json field = Field(name, Json::array({"null", Text()}));
  field["default"] = nullptr;
  return field;
}
Json Record(std::string_view name, std::vector<Json> fields) {
  return {{"type", "record"}, {"name", name}, {"fields", std::move(fields)}};
}
Json ArrayOf(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

std::string SchemaText() {
  Json symbols = Json::array();
  for (const TypeNames& names : kTypes) symbols.push_back(names.symbol);
  const Json type = {{"type", "enum"}, {"name", "EventType"}, {"symbols", symbols}};
  const Json inited = Record("ApplicationInited", {Field("applicationId", Text()), Field("numTasks", "int"),
                                                   Field("host", Text()), OptionalTextField("containerID")});
  const Json metric = Record("Metric", {Field("name", Text()), Field("value", "double")});
  const Json finished = Record("ApplicationFinished", {Field("applicationId", Text()), Field("finishedTasks", "int"),
                                                       Field("failedTasks", "int"), Field("metrics", ArrayOf(metric))});
  const Json task_started = Record("TaskStarted", {Field("taskType", Text()), Field("taskIndex", "int"),
                                                   Field("host", Text()), OptionalTextField("containerID")});
  const Json task_finished =
      Record("TaskFinished", {Field("taskType", Text()), Field("taskIndex", "int"), Field("status", Text()),
                              Field("metrics", ArrayOf("Metric")), OptionalTextField("containerDiagnostic")});
  Json event = Record(
      "Event", {Field("type", type), Field("event", Json::array({inited, finished, task_started, task_finished})),
                Field("timestamp", "long")});
  event["namespace"] = kNamespace;
  return event.dump();
}

int64_t Millis(Instant instant) {
  return std::chrono::floor<std::chrono::milliseconds>(instant).time_since_epoch().count();
}

Json OptionalText(const std::optional<std::string>& text) { return text ? Json{{"string", *text}} : Json(nullptr); }

// The fields of the event's record, with TonY's names. `optional_text` encodes optional strings.
Json Fields(const Event& event, Json (*optional_text)(const std::optional<std::string>&)) {
  Json metrics = Json::array();
  for (const Metric& metric : event.metrics) metrics.push_back({{"name", metric.name}, {"value", metric.value}});
  switch (event.type) {
    case Event::Type::kApplicationInited:
      return {{"applicationId", event.application},
              {"numTasks", event.tasks},
              {"host", event.host},
              {"containerID", optional_text(event.container)}};
    case Event::Type::kApplicationFinished:
      return {{"applicationId", event.application},
              {"finishedTasks", event.finished_tasks},
              {"failedTasks", event.failed_tasks},
              {"metrics", metrics}};
    case Event::Type::kTaskStarted:
      return {{"taskType", event.role},
              {"taskIndex", event.index},
              {"host", event.host},
              {"containerID", optional_text(event.container)}};
    case Event::Type::kTaskFinished:
      return {{"taskType", event.role},
              {"taskIndex", event.index},
              {"status", event.status},
              {"metrics", metrics},
              {"containerDiagnostic", optional_text(event.diagnostic)}};
  }
  return Json();
}

// Reads the fields of a value of any schema. A field of an unexpected type is treated as absent.
class RecordReader {
 public:
  explicit RecordReader(const Json& object) : object_(object) {}

  std::optional<std::string> OptionalTextOf(const char* name) const {
    const Json* value = Find(name);
    // A value of a union is an object with one member, whose key is the name of the branch.
    if (value != nullptr && value->is_object() && value->size() == 1) value = &*value->begin();
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return value->get<std::string>();
  }
  std::string TextOf(const char* name) const { return OptionalTextOf(name).value_or(""); }
  int IntOf(const char* name) const {
    const Json* value = Find(name);
    if (value == nullptr || !value->is_number_integer()) return 0;
    const int64_t number = value->get<int64_t>();
    return number < 0 || number > std::numeric_limits<int>::max() ? 0 : static_cast<int>(number);
  }
  std::vector<Metric> MetricsOf(const char* name) const {
    std::vector<Metric> metrics;
    const Json* list = Find(name);
    if (list == nullptr || !list->is_array()) return metrics;
    for (const Json& item : *list) {
      const Json* value = RecordReader(item).Find("value");
      if (value != nullptr && value->is_number())
        metrics.push_back({RecordReader(item).TextOf("name"), value->get<double>()});
    }
    return metrics;
  }

 private:
  const Json* Find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
};

std::optional<Event> EventOf(const Json& value) {
  if (!value.is_object() || !value.contains("event") || !value.contains("timestamp")) return std::nullopt;
  const Json& branch = value["event"];
  if (!branch.is_object() || branch.empty() || !value["timestamp"].is_number_integer()) return std::nullopt;
  const std::string record = branch.begin().key();
  const int64_t millis = value["timestamp"].get<int64_t>();
  constexpr int64_t kMost = int64_t{1} << 50;
  if (millis < 0 || millis > kMost) return std::nullopt;
  for (const TypeNames& names : kTypes) {
    if (record.substr(record.rfind('.') + 1) != names.record) continue;
    const RecordReader fields(*branch.begin());
    Event event;
    event.type = names.type;
    event.time = Instant(std::chrono::milliseconds(millis));
    event.application = fields.TextOf("applicationId");
    event.tasks = fields.IntOf("numTasks");
    event.finished_tasks = fields.IntOf("finishedTasks");
    event.failed_tasks = fields.IntOf("failedTasks");
    event.role = fields.TextOf("taskType");
    event.index = fields.IntOf("taskIndex");
    event.host = fields.TextOf("host");
    event.container = fields.OptionalTextOf("containerID");
    event.status = fields.TextOf("status");
    event.metrics = fields.MetricsOf("metrics");
    event.diagnostic = fields.OptionalTextOf("containerDiagnostic");
    return event;
  }
  return std::nullopt;
}

// Appends a part to a line, two spaces apart; skips empty parts.
void Add(std::string& line, const std::string& part) {
  if (part.empty()) return;
  if (!line.empty()) line += "  ";
  line += Shown(part);
}

}  // namespace

std::string_view ToText(Event::Type type) {
  for (const TypeNames& names : kTypes) {
    if (names.type == type) return names.symbol;
  }
  return "";
}

Result<std::string> WriteEvents(const std::vector<Event>& events) {
  static const std::string schema = SchemaText();
  std::vector<Json> values;
  for (const Event& event : events) {
    const std::string_view record = kTypes[static_cast<size_t>(event.type)].record;
    Json branch = Json::object();
    branch[std::string(kNamespace) + "." + std::string(record)] = Fields(event, OptionalText);
    values.push_back({{"type", ToText(event.type)}, {"event", std::move(branch)}, {"timestamp", Millis(event.time)}});
  }
  return compat::tony::avro::WriteContainer(schema, values);
}

Result<Events> ReadEvents(std::string_view bytes) {
  Events read;
  HOWDAH_TRY(read.cut, compat::tony::avro::ReadContainer(bytes, [&](const Json& value) -> Status {
               if (read.events.size() == kMostEvents) {
                 return Failed("it has more than " + std::to_string(kMostEvents) + " events");
               }
               if (auto event = EventOf(value)) read.events.push_back(std::move(*event));
               return {};
             }));
  return read;
}

std::string EncodeEvent(const Event& event) {
  Json line = {{"time", FormatInstant(event.time)}, {"type", ToText(event.type)}};
  const auto plain = [](const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); };
  line.update(Fields(event, plain));
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DescribeEvent(const Event& event) {
  constexpr size_t kTimeAt = 11, kTimeSize = 12;  // "06:45:12.301" within "2026-11-21T06:45:12.301Z"
  std::string line;
  Add(line, FormatInstant(event.time).substr(kTimeAt, kTimeSize));
  Add(line, std::string(ToText(event.type)));
  Add(line, event.application);
  if (event.type == Event::Type::kApplicationInited) Add(line, std::to_string(event.tasks) + " tasks");
  if (event.type == Event::Type::kApplicationFinished) {
    Add(line, std::to_string(event.finished_tasks) + " finished");
    Add(line, std::to_string(event.failed_tasks) + " failed");
  }
  if (!event.role.empty()) Add(line, TaskText(event.role, event.index));
  Add(line, event.status);
  if (!event.host.empty()) Add(line, "on " + event.host);
  Add(line, event.container.value_or(""));
  for (const Metric& metric : event.metrics) {
    char text[64];
    std::snprintf(text, sizeof text, "=%.12g", metric.value);
    Add(line, metric.name + text);
  }
  if (event.diagnostic && *event.diagnostic != "NA") Add(line, *event.diagnostic);
  return line;
}

}  // namespace howdah::compat::tony::history
