#include "howdah/autoscale/node_list.h"

#include <re2/re2.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"

namespace howdah::autoscale {
namespace {

using Json = nlohmann::ordered_json;
using keyfile::Quoted;
using keyfile::Words;

constexpr size_t kLongestMessage = 300;

const Words<Group>& GroupWords() {
  static const Words<Group> words = {{Group::kPrimary, "primary"}, {Group::kSecondary, "secondary"}};
  return words;
}

const Words<Machine::State>& StateWords() {
  using State = Machine::State;
  static const Words<State> words = {{State::kCreating, "creating"},
                                     {State::kRunning, "running"},
                                     {State::kDeleting, "deleting"},
                                     {State::kFailed, "failed"}};
  return words;
}

const Words<Failure>& FailureWords() {
  static const Words<Failure> words = {{Failure::kTransient, "TRANSIENT"},
                                       {Failure::kQuota, "QUOTA"},
                                       {Failure::kCapacity, "CAPACITY"},
                                       {Failure::kFatal, "FATAL"}};
  return words;
}

template <typename E>
std::optional<E> Find(const Words<E>& words, const std::string& text) {
  for (const auto& [value, word] : words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

template <typename E>
std::string NotOneOf(const Words<E>& words, const std::string& key, const std::string& text) {
  std::vector<std::string_view> names;
  for (const auto& [value, word] : words) names.push_back(word);
  const std::string_view near = keyfile::Nearest(text, names);
  return "unknown " + key + " " + Quoted(text) + "; " +
         (near.empty() ? "write one of " + keyfile::Joined(names) : "did you mean '" + std::string(near) + "'?");
}

// Returns the text of a key; "" if it is absent or is not a string.
std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The expressions for the hosts of each group, compiled once.
class HostPatterns {
 public:
  explicit HostPatterns(const Provider& provider) {
    for (const Group group : kGroups) {
      if (const auto& some = provider.of(group))
        patterns_[Index(group)] = std::make_unique<RE2>(some->hosts, RE2::Quiet);
    }
  }
  // Null if the provider has no such group.
  const RE2* of(Group group) const { return patterns_[Index(group)].get(); }

 private:
  static size_t Index(Group group) { return static_cast<size_t>(group); }
  std::array<std::unique_ptr<RE2>, kGroups.size()> patterns_;
};

// Returns the first fault of a line, or "".
std::string ReadLine(const std::string& line, const HostPatterns& patterns, Machine& machine) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "is not a JSON object: " + Quoted(line);
  machine.id = TextOf(json, "id");
  machine.host = TextOf(json, "host");
  if (machine.id.empty()) return "has no \"id\"";
  const std::string group = TextOf(json, "group"), state = TextOf(json, "state");
  const auto known_group = Find(GroupWords(), group);
  if (!known_group || patterns.of(*known_group) == nullptr) return NotOneOf(GroupWords(), "group", group);
  machine.group = *known_group;
  const auto known_state = Find(StateWords(), state);
  if (!known_state) return NotOneOf(StateWords(), "state", state);
  machine.state = *known_state;
  if (machine.host.empty() && machine.state == Machine::State::kRunning) return "has no \"host\"";
  const RE2& hosts = *patterns.of(machine.group);
  if (!machine.host.empty() && !RE2::FullMatch(machine.host, hosts)) {
    return "the host " + Quoted(machine.host) + " does not match groups." + group + ".hosts, which is " +
           Quoted(hosts.pattern());
  }
  const auto error = json.find("error");
  if (error == json.end() || !error->is_object()) return "";
  const std::string failure = TextOf(*error, "class");
  const auto known_failure = Find(FailureWords(), failure);
  if (!known_failure) return NotOneOf(FailureWords(), "error class", failure);
  machine.failure = *known_failure;
  machine.message = OneLine(TextOf(*error, "message"), kLongestMessage);
  return "";
}

}  // namespace

std::string_view ToText(Failure failure) {
  for (const auto& [value, word] : FailureWords()) {
    if (value == failure) return word;
  }
  return "";
}

Result<std::vector<Machine>> ParseNodeList(std::string_view output, const Provider& provider) {
  const HostPatterns patterns(provider);
  std::vector<Machine> machines;
  std::set<std::string> hosts, ids;
  int number = 0;
  while (!output.empty()) {
    const size_t end = output.find('\n');
    const std::string line(Trim(output.substr(0, end)));
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    Machine machine;
    std::string fault = ReadLine(line, patterns, machine);
    if (fault.empty() && !machine.host.empty() && !hosts.insert(machine.host).second) {
      fault = "the host " + Quoted(machine.host) + " is listed twice";
    }
    if (fault.empty() && !ids.insert(machine.id).second) fault = "the id " + Quoted(machine.id) + " is listed twice";
    if (fault.empty() && machines.size() == kMostMachines) {
      fault = "more than " + std::to_string(kMostMachines) + " nodes are listed";
    }
    if (!fault.empty()) {
      return Error{ErrorCode::kUsage, "the output of `list`, line " + std::to_string(number) + ": " + fault};
    }
    machines.push_back(std::move(machine));
  }
  return machines;
}

CommandError ParseCommandError(std::string_view output, std::string_view errors) {
  CommandError result;
  while (!output.empty()) {
    const size_t end = output.find('\n');
    const Json json = Json::parse(output.substr(0, end), nullptr, /*allow_exceptions=*/false);
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    if (!json.is_object()) continue;
    const auto error = json.find("error");
    if (error == json.end() || !error->is_object()) continue;
    result.failure = Find(FailureWords(), TextOf(*error, "class")).value_or(Failure::kTransient);
    result.message = OneLine(TextOf(*error, "message"), kLongestMessage);
  }
  if (result.message.empty()) result.message = OneLine(FirstLine(Trim(errors)), kLongestMessage);
  return result;
}

}  // namespace howdah::autoscale
