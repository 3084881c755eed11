#include "howdah/frameworks/horovod/driver.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "howdah/base/number.h"
#include "ranks.h"

namespace howdah::frameworks::horovod {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPlanFileSuffix = "____HOROVOD_RENDEZVOUS_SERVER____";

std::optional<int> NumberOf(const Json& slot, const char* key) {
  const auto found = slot.find(key);
  if (found == slot.end() || (!found->is_string() && !found->is_number_integer())) return std::nullopt;
  const auto number = ParseNumber<int>(found->is_string() ? found->get<std::string>() : found->dump());
  return number && *number >= 0 ? number : std::nullopt;
}

std::string HostsOf(const std::vector<RankAssignment>& plan) {
  std::set<std::string> hosts;
  for (const RankAssignment& slot : plan) hosts.insert(slot.host);
  std::string text;
  for (const std::string& host : hosts) text += (text.empty() ? "" : ", ") + host;
  return text.empty() ? "none" : text;
}

}  // namespace

std::optional<int> DriverOf(const jobspec::JobSpec& spec) {
  if (!spec.tony_env || spec.framework != jobspec::Framework::kHorovod) return std::nullopt;
  for (size_t role = 0; role < spec.roles.size(); ++role) {
    if (spec.roles[role].name == "driver" && spec.roles[role].kind == jobspec::RoleKind::kService) {
      return static_cast<int>(role);
    }
  }
  return std::nullopt;
}

std::string WorkerList(const common::Process& process) {
  std::string list;
  for (const auto& [host, ranks] : HostsInRankOrder(process)) {
    list += (list.empty() ? "" : ",") + host + ":" + std::to_string(ranks);
  }
  return list;
}

std::optional<uint16_t> PortOfPlanFile(std::string_view name) {
  if (!name.ends_with(kPlanFileSuffix)) return std::nullopt;
  const auto port = ParseNumber<uint16_t>(name.substr(0, name.size() - kPlanFileSuffix.size()));
  return port == 0 ? std::nullopt : port;
}

Result<std::vector<RankAssignment>> ReadDriverPlan(const std::string& text) {
  const Json list = Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return Failed("the driver's plan must be a JSON list of slots");
  std::vector<RankAssignment> plan;
  for (const Json& slot : list) {
    const std::string where = "slot " + std::to_string(plan.size()) + " of the driver's plan";
    if (!slot.is_object() || !slot.contains("hostname") || !slot["hostname"].is_string()) {
      return Failed(where + " has no hostname");
    }
    RankAssignment& own = plan.emplace_back();
    own.host = slot["hostname"].get<std::string>();
    const std::pair<const char*, int*> numbers[] = {{"rank", &own.rank},
                                                    {"size", &own.size},
                                                    {"localRank", &own.local_rank},
                                                    {"localSize", &own.local_size},
                                                    {"crossRank", &own.cross_rank},
                                                    {"crossSize", &own.cross_size}};
    for (const auto& [key, value] : numbers) {
      const std::optional<int> number = NumberOf(slot, key);
      if (!number) return Failed(where + " needs " + key + ", an integer from 0");
      *value = *number;
    }
  }
  return plan;
}

Result<jobspec::EnvVars> VariablesFromPlan(const std::vector<RankAssignment>& plan, const std::string& host,
                                           int position, uint16_t port) {
  std::vector<RankAssignment> slots;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(slots),
               [&](const RankAssignment& slot) { return slot.host == host; });
  if (position < 0 || static_cast<size_t>(position) >= slots.size()) {
    return Failed("the driver's plan has " + std::to_string(slots.size()) + " slots on " + host +
                  ", and this process needs number " + std::to_string(position + 1) +
                  "; assign slots to all hosts in CLUSTER_WORKER_LIST (hosts of the plan: " + HostsOf(plan) + ")");
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [](const RankAssignment& a, const RankAssignment& b) { return a.local_rank < b.local_rank; });
  jobspec::EnvVars env;
  common::Set(env, "HOROVOD_GLOO_RENDEZVOUS_PORT", port);
  SetRanks(slots[static_cast<size_t>(position)], env);
  return env;
}

}  // namespace howdah::frameworks::horovod
