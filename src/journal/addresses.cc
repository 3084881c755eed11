#include "howdah/journal/addresses.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "howdah/base/text.h"

namespace howdah::journal {
namespace {

using Json = nlohmann::ordered_json;

// As Java's Date.toString.
std::string DateText(Instant at) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a %b %d %H:%M:%S UTC %Y", &utc)};
}

// When the addresses of the role last changed, as far as the starts of its tasks say.
Instant UpdatedAt(const JobView& job, const std::string& role) {
  Instant updated = job.submitted.value_or(Instant());
  for (const TaskView& task : job.tasks) {
    if (task.role == role && task.started) updated = std::max(updated, *task.started);
  }
  return updated;
}

Json ExportsJson(const JobView& job, const std::string& role, const std::vector<Address>& addresses) {
  const Instant updated = UpdatedAt(job, role);
  Json values = Json::array();
  for (const Address& address : addresses) {
    values.push_back({{"value", address.host + ":" + std::to_string(address.port)},
                      {"containerId", address.container},
                      {"tag", std::to_string(address.index)},
                      {"level", "component"}});
  }
  return {{"description", role},
          {"updated", updated.time_since_epoch() / std::chrono::milliseconds(1)},
          {"updatedTime", DateText(updated)},
          {"entries", {{"host_port", std::move(values)}}}};
}

}  // namespace

std::map<std::string, std::vector<Address>> AddressesOf(const JobView& job) {
  std::map<std::string, std::vector<Address>> addresses;
  for (const TaskView& task : job.tasks) {
    if (task.state == core::TaskState::kRunning && !task.host.empty())
      addresses[task.role].push_back({task.index, task.host, task.container, task.port});
  }
  return addresses;
}

std::optional<std::string> SliderExports(const JobView& job, std::string_view role) {
  const auto addresses = AddressesOf(job);
  Json all = Json::object();
  for (const TaskView& task : job.tasks) {
    if (all.contains(task.role)) continue;
    const auto found = addresses.find(task.role);
    all[task.role] = ExportsJson(job, task.role, found == addresses.end() ? std::vector<Address>() : found->second);
  }
  constexpr auto kReplace = Json::error_handler_t::replace;
  if (role.empty()) return Json{{"exports", std::move(all)}}.dump(-1, ' ', false, kReplace) + "\n";
  const auto found = all.find(std::string(role));
  if (found == all.end()) return std::nullopt;
  return found->dump(-1, ' ', false, kReplace) + "\n";
}

std::string SliderResources(const JobView& job, const std::vector<RoleAmounts>& roles) {
  Json components = Json::object();
  for (const RoleAmounts& amounts : roles) {
    int tasks = 0, running = 0, succeeded = 0, failed = 0;
    for (const TaskView& task : job.tasks) {
      if (task.role != amounts.role) continue;
      ++tasks;
      running += task.state == core::TaskState::kRunning;
      succeeded += task.state == core::TaskState::kSucceeded;
      failed += task.state == core::TaskState::kFailed;
    }
    const int waiting = std::max(0, tasks - running - succeeded - failed);
    components[amounts.role] = {{"yarn.role.priority", std::to_string(components.size() + 1)},
                                {"yarn.component.instances", std::to_string(tasks)},
                                {"yarn.memory", std::to_string(amounts.memory_bytes >> 20)},
                                {"yarn.vcores", std::to_string(amounts.vcores)},
                                {"yarn.component.instances.requesting", std::to_string(waiting)},
                                {"yarn.component.instances.actual", std::to_string(running)},
                                {"yarn.component.instances.started", std::to_string(running)},
                                {"yarn.component.instances.completed", std::to_string(succeeded)},
                                {"yarn.component.instances.failed", std::to_string(failed)}};
  }
  const Json tree = {{"schema", "http://example.org/specification/v2.0.0"},
                     {"metadata", Json::object()},
                     {"global", Json::object()},
                     {"credentials", Json::object()},
                     {"components", std::move(components)}};
  return tree.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace howdah::journal
