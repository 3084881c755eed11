// The state as JSON.
#include <chrono>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "howdah/autoscale/state.h"
#include "howdah/base/epoch.h"

namespace howdah::autoscale {
namespace {

using Json = nlohmann::ordered_json;
using Step = LeavingMachine::Step;

constexpr int kVersion = 1;
constexpr int64_t kMostCount = 1'000'000;

// Writes fields into a JSON object.
class Writer {
 public:
  void operator()(const char* key, const std::string& value) { json_[key] = value; }
  void operator()(const char* key, const bool& value) { json_[key] = value; }
  void operator()(const char* key, const int& value) { json_[key] = value; }
  void operator()(const char* key, const int64_t& value) { json_[key] = value; }
  void operator()(const char* key, const Instant& value) {
    json_[key] = std::chrono::duration_cast<std::chrono::milliseconds>(value.time_since_epoch()).count();
  }
  void operator()(const char* key, const Group& value) { json_[key] = static_cast<int>(value); }
  void operator()(const char* key, const Step& value) { json_[key] = static_cast<int>(value); }
  void Optional(const char* key, const std::string& value) { json_[key] = value; }
  Json Take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

// Reads them back.
class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json) {}

  void operator()(const char* key, std::string& value) {
    if (const Json* found = Find(key); found != nullptr && found->is_string()) {
      value = found->get<std::string>();
    } else {
      good_ = false;
    }
  }
  void operator()(const char* key, bool& value) {
    if (const Json* found = Find(key); found != nullptr && found->is_boolean()) {
      value = found->get<bool>();
    } else {
      good_ = false;
    }
  }
  void operator()(const char* key, int& value) { value = static_cast<int>(Number(key, kMostCount)); }
  void operator()(const char* key, int64_t& value) { value = Number(key, INT64_MAX); }
  void operator()(const char* key, Instant& value) {
    constexpr int64_t kLatest = 4'102'444'800'000;  // the year 2100
    value = FromMillis(Number(key, kLatest));
  }
  void operator()(const char* key, Group& value) {
    value = static_cast<Group>(Number(key, static_cast<int64_t>(kGroups.size()) - 1));
  }
  void operator()(const char* key, Step& value) {
    value = static_cast<Step>(Number(key, int64_t{static_cast<int>(Step::kRemoving)}));
  }
  // Earlier versions did not write the field.
  void Optional(const char* key, std::string& value) {
    if (Find(key) != nullptr) (*this)(key, value);
  }
  bool good() const { return good_; }

 private:
  const Json* Find(const char* key) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  int64_t Number(const char* key, int64_t most) {
    const Json* found = Find(key);
    if (found == nullptr || !found->is_number_integer() || found->get<int64_t>() < 0 || found->get<int64_t>() > most) {
      good_ = false;
      return 0;
    }
    return found->get<int64_t>();
  }

  const Json& json_;
  bool good_ = true;
};

// The fields of each type: for Writer and FieldReader.
template <typename Fields, typename T>
void VisitFields(Fields& fields, T& value) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, KnownMachine>) {
    fields("host", value.host);
    fields("group", value.group);
    fields("since", value.since);
    fields("joined", value.joined);
  } else if constexpr (std::is_same_v<Plain, PendingAdd>) {
    fields("token", value.token);
    fields("group", value.group);
    fields("count", value.count);
    fields("arrived", value.arrived);
    fields("at", value.at);
    fields("accepted", value.accepted);
    fields("failures", value.failures);
    fields("retry", value.retry);
  } else if constexpr (std::is_same_v<Plain, LeavingMachine>) {
    fields("host", value.host);
    fields("group", value.group);
    fields("step", value.step);
    fields("since", value.since);
    fields("token", value.token);
    fields("failures", value.failures);
    fields("retry", value.retry);
    fields("skips_drain", value.skips_drain);
  } else if constexpr (std::is_same_v<Plain, GroupHealth>) {
    fields("failures", value.failures);
    fields("unusable_until", value.unusable_until);
    fields("disabled", value.disabled);
    fields("reason", value.reason);
  } else {
    static_assert(std::is_same_v<Plain, State>);
    fields("prefix", value.prefix);
    fields("orders", value.orders);
    fields("paused", value.paused);
    fields("window", value.window);
    fields.Optional("wish", value.wish);
  }
}

template <typename T>
Json ToJson(const T& value) {
  Writer writer;
  VisitFields(writer, value);
  return writer.Take();
}

template <typename T>
bool FromJson(const Json& json, T& value) {
  FieldReader reader(json);
  VisitFields(reader, value);
  return reader.good();
}

template <typename T>
bool ReadMap(const Json& json, const char* key, std::map<std::string, T>& values) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return false;
  for (const auto& [id, item] : found->items()) {
    if (!FromJson(item, values[id])) return false;
  }
  return true;
}

const Json* FindList(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_array() ? nullptr : &*found;
}

bool ReadLists(const Json& json, State& state) {
  const Json* const adds = FindList(json, "adds");
  const Json* const health = FindList(json, "health");
  const Json* const excluded = FindList(json, "excluded");
  if (adds == nullptr || health == nullptr || health->size() != state.health.size() || excluded == nullptr)
    return false;
  for (const Json& item : *adds) {
    PendingAdd& add = state.adds.emplace_back();
    if (!FromJson(item, add) || add.arrived > add.count) return false;
  }
  for (size_t i = 0; i < state.health.size(); ++i) {
    if (!FromJson((*health)[i], state.health[i])) return false;
  }
  for (const Json& host : *excluded) {
    if (!host.is_string()) return false;
    state.excluded.insert(host.get<std::string>());
  }
  return true;
}

}  // namespace

std::string WriteState(const State& state) {
  Json json = ToJson(state);
  json["version"] = kVersion;
  json["machines"] = json["leaving"] = Json::object();
  json["adds"] = json["health"] = Json::array();
  json["excluded"] = state.excluded;
  for (const auto& [id, machine] : state.machines) json["machines"][id] = ToJson(machine);
  for (const auto& [id, machine] : state.leaving) json["leaving"][id] = ToJson(machine);
  for (const PendingAdd& add : state.adds) json["adds"].push_back(ToJson(add));
  for (const GroupHealth& health : state.health) json["health"].push_back(ToJson(health));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<State> ReadState(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Error fault{ErrorCode::kUsage, "is not a state file of the autoscaler"};
  int version = 0;
  FieldReader header(json);
  header("version", version);
  if (!header.good() || version != kVersion) return fault;
  State state;
  if (!FromJson(json, state) || !ReadLists(json, state) || !ReadMap(json, "machines", state.machines) ||
      !ReadMap(json, "leaving", state.leaving)) {
    return fault;
  }
  // A leaving machine is a listed one.
  std::erase_if(state.leaving, [&](const auto& entry) { return !state.machines.contains(entry.first); });
  return state;
}

}  // namespace howdah::autoscale
