#include "rm_web.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/base/text.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/web/authorities.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn::client {
namespace {

using Json = nlohmann::json;

constexpr int kStatusOk = 200;
constexpr int64_t kLargestPage = int64_t{256} << 20;
constexpr size_t kShownOfPage = 200;
constexpr int64_t kMostCount = 1'000'000;  // of containers in one request
constexpr double kWhole = 100;             // percent
constexpr double kAlmost = 0.9999;

Json Parsed(std::string_view json) { return Json::parse(json, nullptr, /*allow_exceptions=*/false); }

// Return the value of a key, or an empty one if it is absent or has another type.
const Json& Child(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}
std::string TextAt(const Json& json, const char* key) {
  const Json& child = Child(json, key);
  return child.is_string() ? child.get<std::string>() : "";
}
double NumberAt(const Json& json, const char* key) {
  const Json& child = Child(json, key);
  return child.is_number() ? child.get<double>() : 0;
}
int64_t CountAt(const Json& json, const char* key) {
  return static_cast<int64_t>(std::clamp(NumberAt(json, key), 0.0, 1e12));
}

// A list, or a single object in place of a list of one, as Jersey writes it.
std::vector<Json> ListAt(const Json& json, const char* key) {
  const Json& child = Child(json, key);
  if (child.is_array()) return {child.begin(), child.end()};
  return child.is_object() ? std::vector<Json>{child} : std::vector<Json>();
}

admission::Resources AmountAt(const Json& json, const char* key) {
  const Json& amount = Child(json, key);
  admission::Resources resources{CountAt(amount, "memory"), CountAt(amount, "vCores"), 0, {}};
  for (const Json& type : ListAt(Child(amount, "resourceInformations"), "resourceInformation")) {
    const std::string name = TextAt(type, "name");
    const int64_t value = CountAt(type, "value");
    if (name == hadoop::yarn::kGpu) {
      resources.gpus = value;
    } else if (name != "memory-mb" && name != "vcores" && value > 0) {
      resources.others[name] = value;
    }
  }
  return resources;
}

std::vector<autoscale::Wanted> PendingOf(const Json& application) {
  std::map<std::string, admission::Demand> demands;  // by label
  for (const Json& request : ListAt(application, "resourceRequests")) {
    // The same containers are requested for nodes and racks, too.
    if (TextAt(request, "resourceName") != "*") continue;
    const int64_t count = std::min(CountAt(request, "numContainers"), kMostCount);
    if (count == 0) continue;
    demands[TextAt(request, "nodeLabelExpression")].Add(count, AmountAt(request, "capability"));
  }
  std::vector<autoscale::Wanted> pending;
  for (auto& [label, demand] : demands) {
    pending.push_back({.id = TextAt(application, "id"),
                       .queue = TextAt(application, "queue"),
                       .label = label,
                       .tasks = std::move(demand.tasks),
                       .whole = false});
  }
  return pending;
}

// The scheme of the web services of the cluster: "http://" or "https://".
std::string SchemeOf(const hadoop::conf::Configuration& configuration) {
  return configuration.Text("yarn.http.policy") == "HTTPS_ONLY" ? "https://" : "http://";
}

std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }

// The smallest container, of which YARN rounds the limit of AMs to a multiple.
admission::Resources SmallestContainer(const Json& partition) {
  admission::Resources unit{1, 1, 0, {}};
  const Json& types = Child(Child(partition, "configuredMinResource"), "resourceInformations");
  for (const Json& type : ListAt(types, "resourceInformation")) {
    const std::string name = TextAt(type, "name");
    if (name == "memory-mb") unit.memory_mib = CountAt(type, "minimumAllocation");
    if (name == "vcores") unit.vcores = CountAt(type, "minimumAllocation");
  }
  return unit;
}

autoscale::QueueShare ShareOf(const Json& partition, const Json& queue) {
  autoscale::QueueShare share;
  share.most = NumberAt(partition, "absoluteMaxCapacity") / kWhole;
  const double of_queue = NumberAt(partition, "maxAMLimitPercentage") / kWhole;
  share.most_ams = of_queue > 0 ? share.most * of_queue : 1;
  share.unit = SmallestContainer(partition);
  for (const Json& usage : ListAt(Child(queue, "resources"), "resourceUsagesByPartition")) {
    if (TextAt(usage, "partitionName") != TextAt(partition, "partitionName")) continue;
    share.used = AmountAt(usage, "used");
    share.used_by_ams = AmountAt(usage, "amUsed");
  }
  return share;
}

using Shares = std::map<std::string, std::map<std::string, autoscale::QueueShare>>;  // by label and queue

void AddQueues(const Json& queue, int depth, Shares& shares) {
  constexpr int kDeepest = 64;
  const std::vector<Json> children = ListAt(Child(queue, "queues"), "queue");
  for (const Json& child : children) {
    if (depth < kDeepest) AddQueues(child, depth + 1, shares);
  }
  const std::string name = TextAt(queue, "queueName");
  if (!children.empty() || name.empty()) return;
  for (const Json& partition : ListAt(Child(queue, "capacities"), "queueCapacitiesByPartition")) {
    const autoscale::QueueShare share = ShareOf(partition, queue);
    const bool is_limited = share.most < kAlmost || share.most_ams < kAlmost;
    if (share.most > 0 && is_limited) shares[TextAt(partition, "partitionName")][name] = share;
  }
}

}  // namespace

std::vector<LiveApplication> ParseApplications(std::string_view json) {
  const Json page = Parsed(json);
  std::vector<LiveApplication> applications;
  for (const Json& application : ListAt(Child(page, "apps"), "app")) {
    applications.push_back({.id = TextAt(application, "id"),
                            .type = TextAt(application, "applicationType"),
                            .queue = TextAt(application, "queue"),
                            .am_host = HostOf(TextAt(application, "amHostHttpAddress")),
                            .pending = PendingOf(application)});
  }
  return applications;
}

Shares ParseQueues(std::string_view json) {
  const Json page = Parsed(json);
  const Json& scheduler = Child(Child(page, "scheduler"), "schedulerInfo");
  Shares shares;
  if (TextAt(scheduler, "type") == "capacityScheduler") AddQueues(scheduler, 0, shares);
  return shares;
}

std::optional<std::vector<std::string>> ParseNodeApplications(std::string_view json) {
  const Json page = Parsed(json);
  if (!page.is_object() || !page.contains("apps")) return std::nullopt;
  std::vector<std::string> ids;
  for (const Json& application : ListAt(page["apps"], "app")) ids.push_back(TextAt(application, "id"));
  return ids;
}

std::string ParseProperty(std::string_view json) { return TextAt(Child(Parsed(json), "property"), "value"); }

RmWeb::RmWeb(const HadoopClient& cluster)
    : configuration_(cluster.configuration()),
      web_(hadoop::web::AuthoritiesOf(configuration_),
           cluster.kerberos() && cluster.kerberos()->ok() ? (*cluster.kerberos())->login : nullptr) {}

Result<std::string> RmWeb::GetFrom(const std::string& url) {
  std::string body;
  os::http::Outgoing request{.url = url, .headers = {{"Accept", "application/json"}}};
  HOWDAH_TRY(const auto reply, web_.Send(std::move(request), {.body_bytes = kLargestPage}, [&](std::string_view bytes) {
    body += bytes;
    return true;
  }));
  if (reply.status != kStatusOk) {
    return Failed(url + " answered with status " + std::to_string(reply.status) + ": " +
                  OneLine(reply.error_text, kShownOfPage));
  }
  // A standby ResourceManager answers with a page that names the active one.
  if (!reply.refresh.empty()) return Failed(url + " is a standby ResourceManager");
  return body;
}

Result<std::string> RmWeb::Get(const std::string& path) {
  HOWDAH_TRY(const auto servers, hadoop::conf::ResourceManagers(configuration_, hadoop::conf::RmService::kWeb));
  Error last{ErrorCode::kUnavailable, "the configuration names no ResourceManager"};
  for (const auto& server : servers) {
    auto page = GetFrom(SchemeOf(configuration_) + server.address.Text() + path);
    if (page.ok()) return page;
    last = page.error();
  }
  return last;
}

Result<std::string> RmWeb::GetFromNode(const std::string& address, const std::string& path) {
  return GetFrom(SchemeOf(configuration_) + address + path);
}

}  // namespace howdah::backend::yarn::client
