#include "action_bodies.h"

#include <algorithm>
#include <utility>

#include "howdah/base/json_depth.h"
#include "howdah/base/text.h"

namespace howdah::portal {

Result<Json> FieldsOf(const std::string& body, std::initializer_list<std::string_view> known) {
  constexpr int kMostNesting = 4;
  const bool is_deep = NestsDeeper(body, kMostNesting);
  const Json json = Trim(body).empty() ? Json::object() : is_deep ? Json() : ParseJson(body);
  if (!json.is_object()) return Error{ErrorCode::kUsage, "the body is not a JSON object"};
  for (const auto& [name, value] : json.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{ErrorCode::kUsage, "unknown field '" + OneLine(name, 100) + "'; the fields are " + Join(known)};
  }
  return json;
}

Result<std::optional<Duration>> GraceOf(const std::string& body) {
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"grace"}));
  const auto grace = fields.find("grace");
  if (grace == fields.end() || grace->is_null()) return std::optional<Duration>();
  const auto duration = grace->is_string() ? ParseDuration(grace->get<std::string>()) : std::nullopt;
  if (!duration)
    return Error{ErrorCode::kUsage,
                 "grace: " + OneLine(Dump(*grace), 100) + " is not a duration; write \"30s\" or \"5m\""};
  return std::optional<Duration>(*duration);
}

Result<ScaleOrder> ScaleOrderOf(const std::string& body) {
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"role", "instances"}));
  const auto role = fields.find("role"), instances = fields.find("instances");
  constexpr size_t kLongestRole = 200;
  const std::string name = role != fields.end() && role->is_string() ? role->get<std::string>() : "";
  if (name.empty() || name.size() > kLongestRole)
    return Error{ErrorCode::kUsage,
                 "role: the name of a role is missing; write {\"role\": \"worker\", \"instances\": 4}"};
  constexpr int64_t kMost = 1'000'000;
  const bool is_count = instances != fields.end() && instances->is_number_integer() &&
                        (!instances->is_number_unsigned() || instances->get<uint64_t>() <= uint64_t{kMost}) &&
                        instances->get<int64_t>() >= 0;
  if (!is_count)
    return Error{ErrorCode::kUsage,
                 "instances: a number of tasks is missing; write {\"role\": \"worker\", \"instances\": 4}"};
  return ScaleOrder{name, instances->get<int>()};
}

Result<StackOrder> StackOrderOf(const std::string& body) {
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"task", "native", "signal"}));
  const auto task = fields.find("task"), native = fields.find("native"), signal = fields.find("signal");
  constexpr size_t kLongestTask = 200;
  StackOrder order;
  if (task != fields.end() && task->is_string()) order.task = task->get<std::string>();
  if (order.task.empty() || order.task.size() > kLongestTask)
    return Error{ErrorCode::kUsage, "task: the name of a task is missing; write {\"task\": \"worker:0\"}"};
  if (native != fields.end() && !native->is_boolean()) return Error{ErrorCode::kUsage, "native: write true or false"};
  order.native = native != fields.end() && native->get<bool>();
  if (signal == fields.end() || signal->is_null()) return order;
  if (!signal->is_string()) return Error{ErrorCode::kUsage, "signal: write the name of a signal, \"USR1\", or null"};
  order.signal = signal->get<std::string>();
  return order;
}

namespace {

constexpr char kWhatToOpen[] =
    "write one of {\"tensorboard\": true}, {\"notebook\": true} and {\"task\": \"worker:0\", \"port\": 8888}";

// Whether the field is true; nullopt if it is neither true nor false.
std::optional<bool> IsTrue(const Json& fields, const char* name) {
  const auto field = fields.find(name);
  if (field == fields.end()) return false;
  return field->is_boolean() ? std::optional(field->get<bool>()) : std::nullopt;
}

// Reads the address in the field "address", and says whether it was valid.
Result<std::optional<bool>> AddressIn(const Json& fields) {
  const auto address = fields.find("address");
  if (address == fields.end() || address->is_null()) return std::optional<bool>();
  if (*address != "name" && *address != "port")
    return Error{ErrorCode::kUsage, "address: write \"name\" for a host name, or \"port\""};
  return std::optional<bool>(*address == "name");
}

}  // namespace

Result<OpenOrder> OpenOrderOf(const std::string& body) {
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"tensorboard", "notebook", "task", "port", "address"}));
  OpenOrder order;
  HOWDAH_TRY(order.by_name, AddressIn(fields));
  const auto tensorboard = IsTrue(fields, "tensorboard"), notebook = IsTrue(fields, "notebook");
  const auto task = fields.find("task"), port = fields.find("port");
  const bool has_task = task != fields.end() || port != fields.end();
  if (!tensorboard || !notebook || int{*tensorboard} + int{*notebook} + int{has_task} != 1)
    return Error{ErrorCode::kUsage, kWhatToOpen};
  if (!has_task) {
    order.what = *tensorboard ? OpenOrder::What::kTensorBoard : OpenOrder::What::kNotebook;
    return order;
  }
  constexpr size_t kLongestTask = 200;
  if (task == fields.end() || !task->is_string() || task->get<std::string>().size() > kLongestTask ||
      task->get<std::string>().empty())
    return Error{ErrorCode::kUsage, std::string("task: the name of a task is missing; ") + kWhatToOpen};
  const bool is_port = port != fields.end() && port->is_number_unsigned() && port->get<uint64_t>() >= 1 &&
                       port->get<uint64_t>() <= 65535;
  if (!is_port)
    return Error{ErrorCode::kUsage, std::string("port: a number from 1 to 65535 is missing; ") + kWhatToOpen};
  order.task = task->get<std::string>();
  order.port = port->get<uint16_t>();
  return order;
}

Result<std::optional<bool>> AddressOf(const std::string& body) {
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"address"}));
  return AddressIn(fields);
}

Result<std::vector<std::string>> TensorBoardJobsOf(const std::string& body) {
  constexpr size_t kMostJobs = 20;
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"jobs"}));
  const auto jobs = fields.find("jobs");
  const bool is_list = jobs != fields.end() && jobs->is_array() && !jobs->empty() && jobs->size() <= kMostJobs &&
                       std::all_of(jobs->begin(), jobs->end(), [](const Json& job) { return job.is_string(); });
  if (!is_list)
    return Error{ErrorCode::kUsage,
                 "jobs: write a list of 1 to " + std::to_string(kMostJobs) + " jobs, as in {\"jobs\": [\"last\"]}"};
  return jobs->get<std::vector<std::string>>();
}

Result<NotebookOrder> NotebookOrderOf(const std::string& body) {
  NotebookOrder order;
  std::string idle;
  jobspec::QuickJob& quick = order.job.quick;
  const std::pair<const char*, std::string*> texts[] = {
      {"on", &order.backend},    {"name", &quick.name},
      {"memory", &quick.memory}, {"python", &quick.python_archive},
      {"queue", &quick.queue},   {"directory", &order.notebook.directory},
      {"idle", &idle},           {"limit", &order.notebook.limit}};
  const std::pair<const char*, std::optional<int>*> numbers[] = {{"vcores", &quick.vcores}, {"gpus", &quick.gpus}};
  HOWDAH_TRY(const Json fields, FieldsOf(body, {"on", "name", "memory", "vcores", "gpus", "python", "queue",
                                                "directory", "idle", "limit"}));
  const auto mistake = [](const std::string& name, const char* wanted) {
    return Error{ErrorCode::kUsage, name + ": write " + wanted};
  };
  for (const auto& [name, value] : texts) {
    const auto field = fields.find(name);
    if (field == fields.end() || field->is_null()) continue;
    if (!field->is_string()) return mistake(name, "a text");
    *value = field->get<std::string>();
  }
  constexpr int64_t kMost = 1'000'000;
  for (const auto& [name, value] : numbers) {
    const auto field = fields.find(name);
    if (field == fields.end() || field->is_null()) continue;
    if (!field->is_number_unsigned() || field->get<uint64_t>() > uint64_t{kMost})
      return mistake(name, "a whole number");
    *value = field->get<int>();
  }
  if (!ParseDuration(order.notebook.limit)) return mistake("limit", "a duration such as \"24h\"");
  if (!idle.empty()) {
    const auto duration = ParseDuration(idle);
    if (!duration) return mistake("idle", "a duration such as \"1h\", or \"0s\" for never");
    order.notebook.idle = *duration;
  }
  return order;
}

}  // namespace howdah::portal
