#include "howdah/client/goodput_json.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace howdah::client {
namespace {

using journal::Bucket;
using journal::Held;
using Json = nlohmann::ordered_json;

constexpr std::array kBuckets = {Bucket::kUseful,     Bucket::kWaiting, Bucket::kLocalization, Bucket::kStart,
                                 Bucket::kRendezvous, Bucket::kLost,    Bucket::kRecovering,   Bucket::kTail};

double Rounded(double number) { return std::round(number * 1e6) / 1e6; }

Json HeldJson(const Held& held) {
  Json others = Json::object();
  for (const auto& [type, time] : held.others) others[type] = Rounded(journal::Seconds(time));
  return {{"gpu_seconds", Rounded(journal::Seconds(held.gpus))},
          {"memory_gib_seconds", Rounded(journal::GibSeconds(held.memory))},
          {"vcore_seconds", Rounded(journal::Seconds(held.vcores))},
          {"other", std::move(others)}};
}

Json ShareJson(const std::optional<double>& share) { return share ? Json(Rounded(*share)) : Json(nullptr); }

Json ToJson(const GoodputGroup& group, const std::optional<jobspec::Prices>& prices) {
  Json json = {{"group", group.name},
               {"jobs", group.jobs},
               {"succeeded", group.succeeded},
               {"failed", group.failed},
               {"killed", group.killed},
               {"queue_seconds", Rounded(static_cast<double>(group.queue().count()) / 1e6)},
               {"held", group.known ? HeldJson(group.held) : Json(nullptr)}};
  for (const Bucket bucket : kBuckets) {
    const bool known = group.knows_buckets && (bucket != Bucket::kLost || group.knows_lost);
    json[std::string(journal::ToText(bucket))] = known ? HeldJson(group.buckets[bucket].held) : Json(nullptr);
  }
  json["busy_gpu_seconds"] = group.busy_of == 0 ? Json(nullptr) : Json(Rounded(journal::Seconds(group.busy)));
  json["goodput"] = ShareJson(group.goodput());
  json["busy"] = ShareJson(group.busy_share());
  const auto cost = prices ? group.Cost(*prices) : std::nullopt;
  json["cost"] = ShareJson(cost);
  json["currency"] = prices ? Json(prices->currency) : Json(nullptr);
  return json;
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Appends the fields of an object as columns: {"held": {"gpu_seconds": 1}} becomes the column held_gpu_seconds. Other
// resource types share one column, as in "fpga=3 tpu=1". `like` has every field, so that all objects have the same
// columns.
void AddColumns(const Json& object, const Json& like, const std::string& prefix, std::vector<std::string>& names,
                std::vector<std::string>& values) {
  for (const auto& [key, shape] : like.items()) {
    const bool known = object.is_object();
    const Json value = known ? object[key] : Json(nullptr);
    if (shape.is_object() && key != "other") {
      AddColumns(value, shape, prefix + key + "_", names, values);
      continue;
    }
    std::string text;
    if (value.is_object()) {
      for (const auto& [type, time] : value.items()) text += (text.empty() ? "" : " ") + type + "=" + time.dump();
    } else if (value.is_string()) {
      text = value.get<std::string>();
    } else if (!value.is_null()) {
      text = value.dump();
    }
    names.push_back(prefix + key);
    values.push_back(CsvField(text));
  }
}

std::string Joined(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line + "\n";
}

// Returns the JSON of a group that has every field. The columns of the CSV are its fields.
Json Shape() {
  Json shape = ToJson({}, std::nullopt);
  for (const char* name :
       {"held", "useful", "waiting", "localization", "start", "rendezvous", "lost", "recovering", "tail"})
    shape[name] = HeldJson({});
  return shape;
}

}  // namespace

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string GroupJson(const GoodputGroup& group, const std::optional<jobspec::Prices>& prices) {
  return Dump(ToJson(group, prices));
}

std::string GoodputJson(const GoodputView& view) {
  std::string text = "{\"groups\": [";
  bool first = true;
  for (const GoodputGroup& group : view.report.Groups()) {
    text += (std::exchange(first, false) ? "" : ",\n ") + Dump(ToJson(group, view.prices));
  }
  return text + "],\n \"total\": " + Dump(ToJson(view.report.total(), view.prices)) + "}\n";
}

std::string GoodputCsv(const GoodputView& view) {
  const Json shape = Shape();
  std::string titles, lines;
  const auto add = [&](const GoodputGroup& group) {
    std::vector<std::string> names, values;
    AddColumns(ToJson(group, view.prices), shape, "", names, values);
    titles = Joined(names);
    lines += Joined(values);
  };
  for (const GoodputGroup& group : view.report.Groups()) add(group);
  add(view.report.total());
  return titles + lines;
}

}  // namespace howdah::client
