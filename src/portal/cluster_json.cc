#include "cluster_json.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/client/goodput_json.h"
#include "howdah/core/states.h"

namespace howdah::portal {
namespace {

using backend::Amounts;
using backend::ApplicationInfo;
using backend::QueueInfo;

constexpr const char* kDefaultQueue = "default";  // of a job whose file names none

Json AmountsJson(const Amounts& amounts) {
  return {{"memory_bytes", OrNull(amounts.memory_bytes)},
          {"vcores", OrNull(amounts.vcores)},
          {"gpus", OrNull(amounts.gpus)}};
}

// {"memory_bytes": {"used": …, "total": …}, …}, with one inner field for each of the named amounts.
Json NamedAmountsJson(const std::vector<std::pair<const char*, Amounts>>& named) {
  Json json = {{"memory_bytes", Json::object()}, {"vcores", Json::object()}, {"gpus", Json::object()}};
  for (const auto& [name, amounts] : named) {
    json["memory_bytes"][name] = OrNull(amounts.memory_bytes);
    json["vcores"][name] = OrNull(amounts.vcores);
    json["gpus"][name] = OrNull(amounts.gpus);
  }
  return json;
}

Json PendingJson(const backend::PendingInfo& pending) {
  Json json = {{"containers", OrNull(pending.containers)}};
  json.update(AmountsJson(pending.amounts));
  return json;
}

Json WaitingJson(const Rows& rows) {
  Json list = Json::array();
  for (const index::query::RowPointer& row : rows) {
    list.push_back({{"id", row->id},
                    {"name", row->name},
                    {"user", OrNull(row->user)},
                    {"queue", OrNull(row->queue)},
                    {"state", core::ToText(row->state)},
                    {"submitted", OrNull(row->submitted)},
                    {"tasks", row->tasks},
                    {"gpus", OrNull(row->gpus)},
                    {"reason", OrNull(row->reason)}});
  }
  return list;
}

using Amount = std::optional<int64_t>;

Amount Added(const Amount& a, const Amount& b) {
  int64_t sum = 0;
  const bool known = a && b && !__builtin_add_overflow(*a, *b, &sum);
  return known ? Amount(sum) : std::nullopt;
}

Amounts Added(const Amounts& a, const Amounts& b) {
  return {Added(a.memory_bytes, b.memory_bytes), Added(a.vcores, b.vcores), Added(a.gpus, b.gpus)};
}

// The applications that somebody has in a queue.
struct QueueShare {
  int64_t applications = 0;
  Amount containers = 0;
  Amounts used = {0, 0, 0};

  void Add(const ApplicationInfo& application) {
    ++applications;
    containers = Added(containers, application.containers);
    used = Added(used, application.used);
  }
};

// An application and a job name their queue by its path or by the last part of it.
const QueueInfo* LeafOf(const std::vector<QueueInfo>& queues, const std::string& name) {
  const auto leaf = std::find_if(queues.begin(), queues.end(), [&](const QueueInfo& queue) {
    return queue.leaf && (queue.path == name || queue.path.ends_with("." + name));
  });
  return leaf == queues.end() ? nullptr : &*leaf;
}

// Calls `take` with the path of the leaf queue of this name, and with the path of each of its ancestors.
template <typename Take>
void ForEachQueueOf(const std::vector<QueueInfo>& queues, const std::string& name, const Take& take) {
  const QueueInfo* const leaf = LeafOf(queues, name);
  if (leaf == nullptr) return;
  for (std::string path = leaf->path; !path.empty();) {
    take(path);
    const auto queue =
        std::find_if(queues.begin(), queues.end(), [&](const QueueInfo& each) { return each.path == path; });
    path = queue == queues.end() ? "" : queue->parent;
  }
}

Json HeldByJson(const std::map<std::string, QueueShare>& users, const Amount& used_memory) {
  std::vector<std::pair<std::string, QueueShare>> sorted(users.begin(), users.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.used.memory_bytes.value_or(-1) > b.second.used.memory_bytes.value_or(-1);
  });
  Json list = Json::array();
  for (const auto& [user, share] : sorted) {
    const bool known = share.used.memory_bytes && used_memory.value_or(0) > 0;
    Json one = {{"user", OrNull(user)},
                {"share", known ? Json(static_cast<double>(*share.used.memory_bytes) /
                                       static_cast<double>(std::max(*used_memory, *share.used.memory_bytes)))
                                : Json(nullptr)},
                {"applications", share.applications},
                {"containers", OrNull(share.containers)}};
    one.update(AmountsJson(share.used));
    list.push_back(std::move(one));
  }
  return list;
}

// The value of a path such as "memory_bytes.used", as a field of CSV.
std::string FieldText(const Json& object, const std::string& path) {
  const Json* value = &object;
  size_t from = 0;
  while (from <= path.size()) {
    const size_t dot = std::min(path.find('.', from), path.size());
    value = &value->at(path.substr(from, dot - from));
    from = dot + 1;
  }
  if (value->is_null()) return "";
  return value->is_string() ? client::CsvField(Shown(value->get<std::string>())) : Dump(*value);
}

}  // namespace

Json ClusterStateJson(const std::string& backend, const ClusterState& state, Instant now) {
  const bool is_failing = !state.problem.empty();
  const char* const word = is_failing ? "failing" : state.sample ? "ok" : "loading";
  return {{"name", backend},
          {"state", word},
          {"detail", OrNull(state.problem)},
          {"since", is_failing ? Json(FormatInstant(state.failing_since)) : Json(nullptr)},
          {"at", state.sample ? Json(FormatInstant(state.sample->at)) : Json(nullptr)},
          {"age_seconds", state.sample ? Json(Seconds(now - state.sample->at)) : Json(nullptr)}};
}

Json ClusterJson(const ClusterSample& sample, const Rows& waiting) {
  std::map<std::string, int64_t> states;
  for (const backend::NodeInfo& node : sample.info.nodes) ++states[node.state];
  Json list = Json::array();
  for (const auto& [state, count] : states) list.push_back({{"state", state}, {"count", count}});
  const ClusterTotals totals = TotalsOf(sample.info);
  const auto running = std::count_if(sample.info.applications.begin(), sample.info.applications.end(),
                                     [](const ApplicationInfo& application) { return application.running; });
  const auto all = static_cast<int64_t>(sample.info.applications.size());
  Json json = {{"nodes", {{"total", totals.nodes}, {"usable", totals.usable_nodes}, {"states", std::move(list)}}}};
  json.update(NamedAmountsJson({{"used", totals.used}, {"total", totals.total}}));
  json["pending"] = PendingJson(sample.info.pending);
  json["applications"] = {{"running", running}, {"waiting", all - running}};
  json["waiting_jobs"] = WaitingJson(waiting);
  return json;
}

Json ClusterHistoryJson(const ClusterHistory& history, Instant now) {
  const int64_t last = MinuteOf(now);
  const int64_t first = history.points().empty() ? last : history.points().begin()->first;
  Json series = Json::object();
  for (size_t i = 0; i < kClusterFigures.size(); ++i) {
    Json values = Json::array();
    for (int64_t minute = first; minute <= last; ++minute) {
      const auto point = history.points().find(minute);
      values.push_back(point == history.points().end() ? Json(nullptr) : OrNull(point->second.values[i]));
    }
    series[std::string(kClusterFigures[i])] = std::move(values);
  }
  return {{"start", FormatInstant(Instant(std::chrono::minutes(first)))},
          {"width", 60},
          {"series", std::move(series)},
          {"problem", OrNull(history.problem())}};
}

Json NodeJson(const backend::NodeInfo& node) {
  Json json = {{"node", node.host},
               {"port", OrNull(node.port)},
               {"rack", OrNull(node.rack)},
               {"label", OrNull(node.label)},
               {"state", node.state},
               {"usable", node.usable},
               {"health", OrNull(node.health)},
               {"containers", OrNull(node.containers)}};
  json.update(NamedAmountsJson({{"used", node.used}, {"total", node.total}}));
  return json;
}

Json NodeJobsJson(const NodeJobs& jobs, const backend::NodeInfo& node, const ClusterSample& sample,
                  const RowOfJob& row) {
  Json tasks = Json::array(), masters = Json::array(), failures = Json::array(), avoided = Json::array();
  for (const NodeJobs::Task& task : jobs.tasks) {
    tasks.push_back({{"job", task.job},
                     {"name", task.name},
                     {"task", TaskText(task.role, task.index)},
                     {"attempt", task.attempt},
                     {"state", core::ToText(task.state)},
                     {"started", OrNull(task.started)}});
  }
  for (const ApplicationInfo& application : sample.info.applications) {
    if (application.master_host == node.host && row(application.id) != nullptr) masters.push_back(application.id);
  }
  for (const NodeJobs::Failure& found : jobs.failures) {
    const advice::Trail::Failure& failure = found.failure;
    failures.push_back({{"job", found.job},
                        {"name", found.name},
                        {"task", TaskText(failure.role, failure.index)},
                        {"attempt", failure.attempt},
                        {"at", FormatInstant(failure.at)},
                        {"lost", failure.lost},
                        {"reason", OrNull(failure.reason)}});
  }
  for (const NodeJobs::Avoidance& avoidance : jobs.avoidance) {
    avoided.push_back({{"job", avoidance.job},
                       {"name", avoidance.name},
                       {"until", OrNull(avoidance.until)},
                       {"reason", avoidance.reason}});
  }
  Amount others;
  // The two numbers may have been read at different times.
  if (jobs.complete && node.containers)
    others = std::max<int64_t>(0, *node.containers - static_cast<int64_t>(tasks.size() + masters.size()));
  return {{"tasks", std::move(tasks)},
          {"masters", std::move(masters)},
          {"others", OrNull(others)},
          {"failures", std::move(failures)},
          {"avoided", std::move(avoided)},
          {"complete", jobs.complete},
          {"notes", jobs.notes}};
}

Json QueuesJson(const ClusterSample& sample, const Rows& waiting) {
  std::map<std::string, std::map<std::string, QueueShare>> users;  // by queue
  std::map<std::string, QueueShare> all;
  for (const ApplicationInfo& application : sample.info.applications) {
    ForEachQueueOf(sample.info.queues, application.queue, [&](const std::string& path) {
      users[path][application.user].Add(application);
      all[path].Add(application);
    });
  }
  std::map<std::string, Rows> waiting_in;
  for (const index::query::RowPointer& row : waiting) {
    ForEachQueueOf(sample.info.queues, row->queue.empty() ? kDefaultQueue : row->queue,
                   [&](const std::string& path) { waiting_in[path].push_back(row); });
  }
  Json list = Json::array();
  for (const QueueInfo& queue : sample.info.queues) {
    Amounts used = queue.used;
    if (!used.gpus) used.gpus = all[queue.path].used.gpus;
    Json json = {{"queue", queue.path},
                 {"parent", OrNull(queue.parent)},
                 {"leaf", queue.leaf},
                 {"state", queue.stopped ? "STOPPED" : "RUNNING"},
                 {"used_share", OrNull(queue.used_share)},
                 {"capacity_share", OrNull(queue.capacity_share)},
                 {"maximum_share", OrNull(queue.maximum_share)},
                 {"am_share", {{"used", nullptr}, {"maximum", OrNull(queue.master_share)}}},
                 {"running", OrNull(queue.running)},
                 {"waiting", OrNull(queue.waiting)}};
    json.update(NamedAmountsJson({{"used", used}, {"capacity", queue.capacity}, {"maximum", queue.maximum}}));
    json["pending"] = PendingJson(queue.pending);
    json["held_by"] = HeldByJson(users[queue.path], used.memory_bytes);
    json["waiting_jobs"] = WaitingJson(waiting_in[queue.path]);
    list.push_back(std::move(json));
  }
  return list;
}

Json ApplicationsJson(const ClusterSample& sample, const RowOfJob& row) {
  Json list = Json::array();
  for (const ApplicationInfo& application : sample.info.applications) {
    const index::query::RowPointer job = row(application.id);
    const auto of_job = [&](const std::string& known, const std::string& of_row) {
      return OrNull(known.empty() && job ? of_row : known);
    };
    const bool waits = job != nullptr && !application.running;
    Json json = {{"id", application.id},
                 {"name", of_job(application.name, job ? job->name : "")},
                 {"type", application.type},
                 {"user", of_job(application.user, job ? job->user : "")},
                 {"queue", OrNull(application.queue)},
                 {"state", application.running ? "RUNNING" : "WAITING"},
                 {"submitted", OrNull(application.submitted)},
                 {"containers", OrNull(application.containers)}};
    json.update(AmountsJson(application.used));
    json["job"] = job != nullptr;
    json["reason"] = waits ? OrNull(job->reason) : Json(nullptr);
    list.push_back(std::move(json));
  }
  return list;
}

Json ApplicationGroupsJson(const Json& applications, const std::string& field) {
  struct Group {
    int64_t running = 0, waiting = 0;
    Amount containers = 0;
    Amounts used = {0, 0, 0};
  };
  const auto number = [](const Json& value) { return value.is_null() ? Amount() : Amount(value.get<int64_t>()); };
  std::map<std::string, Group> groups;
  for (const Json& application : applications) {
    const Json& key = application.at(field);
    Group& group = groups[key.is_null() ? "" : key.get<std::string>()];
    ++(application.at("state") == "RUNNING" ? group.running : group.waiting);
    group.containers = Added(group.containers, number(application.at("containers")));
    group.used = Added(group.used, {number(application.at("memory_bytes")), number(application.at("vcores")),
                                    number(application.at("gpus"))});
  }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.used.memory_bytes.value_or(-1) > b.second.used.memory_bytes.value_or(-1);
  });
  Json list = Json::array();
  for (const auto& [name, group] : sorted) {
    Json json = {{field, OrNull(name)},
                 {"running", group.running},
                 {"waiting", group.waiting},
                 {"containers", OrNull(group.containers)}};
    json.update(AmountsJson(group.used));
    list.push_back(std::move(json));
  }
  return list;
}

std::string ClusterCsvTitles(const std::vector<std::string>& fields) {
  std::string line = "backend";
  for (const std::string& field : fields) {
    std::string title = field;
    std::replace(title.begin(), title.end(), '.', '_');
    line += "," + title;
  }
  return line + "\n";
}

std::string ClusterCsv(const std::string& backend, const Json& objects, const std::vector<std::string>& fields) {
  std::string text;
  for (const Json& object : objects) {
    text += client::CsvField(backend);
    for (const std::string& field : fields) text += "," + FieldText(object, field);
    text += "\n";
  }
  return text;
}

}  // namespace howdah::portal
