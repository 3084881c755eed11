// Reads and writes the fields of JSON objects. Another program may have written an object, so a field of the wrong type
// is treated as absent.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/states.h"

namespace howdah::journal {

// Keeps the order in which the fields are written, because people read these objects, too.
using Json = nlohmann::ordered_json;

// Returns the JSON on one line. Bytes that are not UTF-8, such as a program's output in a reason, become replacement
// characters.
inline std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// If the text is not JSON, is_discarded() of the result is true.
inline Json Parse(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

inline const Json* Field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

inline std::optional<int> ToInt(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{std::numeric_limits<int>::max()})
    return std::nullopt;
  const int64_t value = json.get<int64_t>();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(value);
}

inline std::optional<std::string> TextField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr || !field->is_string()) return std::nullopt;
  return field->get<std::string>();
}

inline std::optional<int> IntField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  return field == nullptr ? std::nullopt : ToInt(*field);
}

inline std::optional<Instant> TimeField(const Json& object, const char* name) {
  const auto text = TextField(object, name);
  return text ? ParseInstant(*text) : std::nullopt;
}

inline std::optional<std::vector<int>> IntsField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr || !field->is_array()) return std::nullopt;
  std::vector<int> values;
  for (const Json& item : *field) {
    const auto value = ToInt(item);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// Reads an exit status from the fields `exit_code` and `signal` (a name).
inline std::optional<ExitStatus> ExitFields(const Json& object) {
  ExitStatus exit;
  exit.code = IntField(object, "exit_code");
  if (const auto name = TextField(object, "signal")) exit.signal = SignalNumber(*name);
  if (!exit.code && !exit.signal) return std::nullopt;
  return exit;
}

inline Json UsageJson(const core::Usage& usage) {
  Json json = {{"memory_bytes", usage.memory_bytes},
               {"memory_peak_bytes", usage.memory_peak_bytes},
               {"cpu_seconds", usage.cpu_seconds}};
  if (usage.memory_average_bytes > 0) json["memory_average_bytes"] = usage.memory_average_bytes;
  if (usage.gpu) {
    json["gpu"] = {{"utilisation_average", usage.gpu->utilisation_average},
                   {"utilisation_peak", usage.gpu->utilisation_peak},
                   {"memory_average", usage.gpu->memory_average},
                   {"memory_peak", usage.gpu->memory_peak}};
  }
  return json;
}

inline Json LeftFilesJson(const core::LeftFiles& left) {
  return {{"count", left.count}, {"bytes", left.bytes}, {"names", left.names}};
}

// Reads at most as many names as an executor may report.
inline std::optional<core::LeftFiles> LeftFilesField(const Json& object) {
  const Json* field = Field(object, "left_files");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  const Json *count = Field(*field, "count"), *bytes = Field(*field, "bytes"), *names = Field(*field, "names");
  if (count == nullptr || !count->is_number_integer() || bytes == nullptr || !bytes->is_number_integer()) {
    return std::nullopt;
  }
  core::LeftFiles left{.count = count->get<int64_t>(), .bytes = bytes->get<int64_t>()};
  if (names == nullptr || !names->is_array()) return left;
  for (const Json& name : *names) {
    if (left.names.size() < core::LeftFiles::kMostNames && name.is_string()) left.names.push_back(name);
  }
  return left;
}

inline Json CauseJson(const core::Cause& cause) {
  Json json = {{"kind", core::ToText(cause.kind)}};
  if (!cause.role.empty()) json.update({{"role", cause.role}, {"index", cause.index}, {"attempt", cause.attempt}});
  return json;
}

// Returns nullopt for a kind that this version does not know. A newer version may have written such a kind. In this
// case, the caller uses the object without its cause.
inline std::optional<core::Cause> CauseField(const Json& object) {
  const Json* field = Field(object, "cause");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  const auto kind = core::ParseCauseKind(TextField(*field, "kind").value_or(""));
  if (!kind) return std::nullopt;
  return core::Cause{.kind = *kind,
                     .role = TextField(*field, "role").value_or(""),
                     .index = IntField(*field, "index").value_or(0),
                     .attempt = IntField(*field, "attempt").value_or(0)};
}

// Returns 0 if the field is absent.
inline double NumberField(const Json& object, const char* name) {
  const Json* number = Field(object, name);
  return number != nullptr && number->is_number() ? number->get<double>() : 0;
}

// Reads a duration in seconds, with the journal's resolution of a millisecond.
inline std::optional<Duration> SecondsField(const Json& object, const char* name) {
  constexpr double kMost = 1e9;  // some 30 years
  const Json* field = Field(object, name);
  if (field == nullptr || !field->is_number()) return std::nullopt;
  return Duration(std::llround(std::clamp(field->get<double>(), -kMost, kMost) * 1e6));
}

// Rounds to milliseconds, the resolution of times in the journal.
inline double Seconds(Duration d) {
  return static_cast<double>(std::chrono::round<std::chrono::milliseconds>(d).count()) / 1000;
}

inline Json ProgressJson(const core::TaskProgress& progress) {
  Json json = {{"step", nullptr}, {"checkpoint", nullptr}, {"checkpoint_at", nullptr}};
  if (progress.step) json["step"] = *progress.step;
  if (progress.checkpoint) json["checkpoint"] = *progress.checkpoint;
  if (progress.checkpoint_at) json["checkpoint_at"] = FormatInstant(*progress.checkpoint_at);
  if (progress.steps) json["steps"] = *progress.steps;
  if (progress.checkpoint_cost) {
    json["checkpoints"] = progress.checkpoint_cost->count;
    json["checkpointing_seconds"] = Seconds(progress.checkpoint_cost->time);
  }
  json["at"] = FormatInstant(progress.at);
  return json;
}

inline std::optional<core::TaskProgress> ProgressField(const Json& object) {
  const Json* field = Field(object, "progress");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  const auto at = TimeField(*field, "at");
  if (!at) return std::nullopt;
  const auto step = [&](const char* name) {
    const Json* number = Field(*field, name);
    return number != nullptr && number->is_number_integer() ? std::optional(number->get<int64_t>()) : std::nullopt;
  };
  core::TaskProgress progress{step("step"), step("checkpoint"), TimeField(*field, "checkpoint_at"), *at, step("steps")};
  const auto checkpoints = step("checkpoints");
  const auto time = SecondsField(*field, "checkpointing_seconds");
  if (checkpoints && *checkpoints >= 0 && time) progress.checkpoint_cost = core::CheckpointCost{*checkpoints, *time};
  return progress;
}

inline std::optional<core::Usage> UsageField(const Json& object) {
  const Json* field = Field(object, "usage");
  if (field == nullptr || !field->is_object()) return std::nullopt;
  const auto bytes = [&](const char* name) {
    const Json* number = Field(*field, name);
    return number != nullptr && number->is_number_integer() ? number->get<int64_t>() : 0;
  };
  core::Usage usage{bytes("memory_bytes"), bytes("memory_peak_bytes"), NumberField(*field, "cpu_seconds"),
                    bytes("memory_average_bytes")};
  if (const Json* gpu = Field(*field, "gpu"); gpu != nullptr && gpu->is_object()) {
    usage.gpu = {NumberField(*gpu, "utilisation_average"), NumberField(*gpu, "utilisation_peak"),
                 NumberField(*gpu, "memory_average"), NumberField(*gpu, "memory_peak")};
  }
  return usage;
}

inline Json ResourcesJson(const core::Resources& resources) {
  Json json = {{"memory_bytes", resources.memory_bytes}, {"vcores", resources.vcores}, {"gpus", resources.gpus}};
  for (const auto& [type, amount] : resources.others) json["other"][type] = amount;
  if (!resources.label.empty()) json["label"] = resources.label;
  return json;
}

// An amount that is not a number counts as 0.
inline std::optional<core::Resources> ResourcesField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr || !field->is_object()) return std::nullopt;
  const auto amount = [](const Json* number) {
    return number != nullptr && number->is_number_integer() ? number->get<int64_t>() : 0;
  };
  core::Resources resources{amount(Field(*field, "memory_bytes")), amount(Field(*field, "vcores")),
                            amount(Field(*field, "gpus"))};
  resources.label = TextField(*field, "label").value_or("");
  if (const Json* others = Field(*field, "other"); others != nullptr && others->is_object()) {
    for (const auto& [type, number] : others->items()) resources.others[type] = amount(&number);
  }
  return resources;
}

}  // namespace howdah::journal
