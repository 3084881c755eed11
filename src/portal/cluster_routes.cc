#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "api.h"
#include "cluster_json.h"
#include "cluster_sampler.h"
#include "howdah/base/text.h"

namespace howdah::portal {
namespace {

using index::query::Term;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

constexpr size_t kMostWaitingJobs = 1000;  // waiting jobs in one answer
constexpr size_t kMostJobsOfNode = 50;
constexpr Duration kNodeHistory = std::chrono::hours(24);
constexpr Duration kNodeReadLimit = std::chrono::seconds(4);  // for the journals of a node's jobs

const std::vector<std::string> kNodeFields = {"node",
                                              "port",
                                              "rack",
                                              "label",
                                              "state",
                                              "health",
                                              "containers",
                                              "memory_bytes.used",
                                              "memory_bytes.total",
                                              "vcores.used",
                                              "vcores.total",
                                              "gpus.used",
                                              "gpus.total"};
const std::vector<std::string> kQueueFields = {
    "queue",   "state",   "used_share",        "capacity_share", "maximum_share", "am_share.maximum",
    "running", "waiting", "memory_bytes.used", "vcores.used",    "gpus.used",     "pending.containers"};
const std::vector<std::string> kApplicationFields = {
    "id", "name", "type", "user", "queue", "state", "submitted", "containers", "memory_bytes", "vcores", "gpus"};

using WaitingByBackend = std::map<std::string, Rows>;

// Calls `done` once the states of the clusters are recent, with the waiting jobs.
void WithWaiting(Services& services, std::function<void(const WaitingByBackend& waiting)> done) {
  services.cluster->Await([&services, done = std::move(done)] {
    const Term waiting{.field = Term::Field::kState, .states = {core::JobState::kQueued, core::JobState::kStarting}};
    const JobQuery query{.filter = {waiting}, .limit = kMostWaitingJobs, .now = services.clock.Now()};
    services.FindPage(query, [done](const JobPage& page) {
      WaitingByBackend found;
      for (const RowPointer& row : page.rows) found[row->backend].push_back(row);
      done(found);
    });
  });
}

RowOfJob RowsOf(Services& services, const std::string& backend) {
  return [&services, backend](const std::string& id) { return services.jobs->Get({backend, id}); };
}

// {"now": …, "backends": […]}: the state of each backend, with the fields that `fields` makes of its newest sample. In
// an answer without a sample they are null.
using Fields = std::function<Json(const std::string& backend, const ClusterSample& sample)>;
Response AnswerOf(Services& services, const std::vector<std::string>& names, const Fields& fields) {
  const Instant now = services.clock.Now();
  Json backends = Json::array();
  for (const std::string& backend : services.cluster->backends()) {
    const ClusterState& state = services.cluster->StateOf(backend);
    Json one = ClusterStateJson(backend, state, now);
    if (state.sample) {
      one.update(fields(backend, *state.sample));
    } else {
      for (const std::string& name : names) one[name] = nullptr;
    }
    backends.push_back(std::move(one));
  }
  return web::Json(Dump({{"now", FormatInstant(now)}, {"backends", std::move(backends)}}) + "\n");
}

// The rows of all backends that have a sample.
Response CsvOf(Services& services, const std::vector<std::string>& columns,
               const std::function<Json(const std::string& backend, const ClusterSample& sample)>& rows) {
  std::string text = ClusterCsvTitles(columns);
  for (const std::string& backend : services.cluster->backends()) {
    const ClusterState& state = services.cluster->StateOf(backend);
    if (state.sample) text += ClusterCsv(backend, rows(backend, *state.sample), columns);
  }
  return {200, {{"Content-Type", "text/csv; charset=utf-8"}, {"Vary", "Accept"}}, text};
}

Rows WaitingOf(const WaitingByBackend& waiting, const std::string& backend) {
  const auto found = waiting.find(backend);
  return found == waiting.end() ? Rows() : found->second;
}

void ShowCluster(Services& services, const Arguments& arguments, Respond respond) {
  const bool with_history = arguments.Flag("history");
  WithWaiting(services, [&services, with_history, respond = std::move(respond)](const WaitingByBackend& waiting) {
    const auto fields = [&](const std::string& backend, const ClusterSample& sample) {
      Json json = ClusterJson(sample, WaitingOf(waiting, backend));
      if (with_history)
        json["history"] = ClusterHistoryJson(services.cluster->HistoryOf(backend), services.clock.Now());
      return json;
    };
    respond(AnswerOf(services, {"nodes", "memory_bytes", "vcores", "gpus", "pending", "applications", "waiting_jobs"},
                     fields));
  });
}

void ShowQueues(Services& services, const Request& request, Respond respond) {
  const bool csv = request.Accepts("text/csv");
  WithWaiting(services, [&services, csv, respond = std::move(respond)](const WaitingByBackend& waiting) {
    const auto queues = [&](const std::string& backend, const ClusterSample& sample) {
      return QueuesJson(sample, WaitingOf(waiting, backend));
    };
    if (csv) return respond(CsvOf(services, kQueueFields, queues));
    respond(AnswerOf(services, {"queues"}, [&](const std::string& backend, const ClusterSample& sample) {
      return Json{{"queues", queues(backend, sample)}};
    }));
  });
}

void ShowApplications(Services& services, const Request& request, Respond respond) {
  const bool csv = request.Accepts("text/csv");
  services.cluster->Await([&services, csv, respond = std::move(respond)] {
    const auto list = [&](const std::string& backend, const ClusterSample& sample) {
      return ApplicationsJson(sample, RowsOf(services, backend));
    };
    if (csv) return respond(CsvOf(services, kApplicationFields, list));
    respond(AnswerOf(services, {"applications", "by_type", "by_user"},
                     [&](const std::string& backend, const ClusterSample& sample) {
                       Json applications = list(backend, sample);
                       Json by_type = ApplicationGroupsJson(applications, "type");
                       Json by_user = ApplicationGroupsJson(applications, "user");
                       return Json{{"applications", std::move(applications)},
                                   {"by_type", std::move(by_type)},
                                   {"by_user", std::move(by_user)}};
                     }));
  });
}

Json NodesJson(const ClusterSample& sample) {
  Json list = Json::array();
  for (const backend::NodeInfo& node : sample.info.nodes) list.push_back(NodeJson(node));
  return list;
}

// The results of the threads of the backends about the jobs of a node.
struct SharedNodeJobs {
  std::mutex mutex;  // of `by_backend`
  std::map<std::string, NodeJobs> by_backend;
};

// Reads the journals of these jobs, the newest first, for a few seconds.
NodeJobs ReadNodeJobs(backend::Cluster& cluster, const std::string& node, const std::vector<JobId>& jobs,
                      const os::process::Clock& clock) {
  const Instant begun = clock.Now();
  NodeJobsReader reader(node, begun - kNodeHistory, begun);
  std::vector<std::string> notes;
  bool complete = true;
  for (const JobId& id : jobs) {
    if (clock.Now() - begun > kNodeReadLimit) {
      complete = false;
      break;
    }
    reader.Begin();
    const Status read = cluster.ReadJournal(id, [&](const core::JournalEntry& entry) { reader.Take(entry); });
    reader.End();
    if (read.ok()) continue;
    complete = false;
    notes.push_back("without " + id.text + ": " + read.error().message);
  }
  NodeJobs found = std::move(reader).Result();
  found.complete = complete;
  found.notes = std::move(notes);
  return found;
}

// The nodes of this host, with what the jobs of this portal do there.
Response NodeAnswer(Services& services, const std::string& host, const SharedNodeJobs& shared) {
  return AnswerOf(services, {"nodes"}, [&](const std::string& backend, const ClusterSample& sample) {
    Json nodes = Json::array();
    const auto jobs = shared.by_backend.find(backend);
    for (const backend::NodeInfo& node : sample.info.nodes) {
      if (node.host != host) continue;
      Json json = NodeJson(node);
      if (jobs != shared.by_backend.end())
        json.update(NodeJobsJson(jobs->second, node, sample, RowsOf(services, backend)));
      nodes.push_back(std::move(json));
    }
    return Json{{"nodes", std::move(nodes)}};
  });
}

void ReadJobsOfNode(Services& services, const std::string& host, const std::vector<std::string>& backends,
                    const JobPage& page, Respond respond) {
  std::map<std::string, std::vector<JobId>> jobs;
  for (const RowPointer& row : page.rows) jobs[row->backend].push_back(JobId{row->id});
  const auto shared = std::make_shared<SharedNodeJobs>();
  const bool has_all = page.total <= static_cast<int64_t>(page.rows.size());
  const auto work = [shared, jobs, host, has_all, clock = services.clock](backend::Cluster& cluster,
                                                                          const std::string& backend) -> Status {
    const auto of_backend = jobs.find(backend);
    NodeJobs found =
        ReadNodeJobs(cluster, host, of_backend == jobs.end() ? std::vector<JobId>() : of_backend->second, clock);
    found.complete = found.complete && has_all;
    const std::lock_guard lock(shared->mutex);
    shared->by_backend[backend] = std::move(found);
    return {};
  };
  Ask(services, backends, work, [&services, shared, host, respond = std::move(respond)](const auto& failed) {
    const std::lock_guard lock(shared->mutex);
    for (const auto& [backend, error] : failed)
      shared->by_backend[backend] = {.complete = false, .notes = {error.message}};
    respond(NodeAnswer(services, host, *shared));
  });
}

void ShowNode(Services& services, const std::string& host, Respond respond) {
  std::vector<std::string> backends;
  for (const std::string& backend : services.cluster->backends()) {
    const ClusterState& state = services.cluster->StateOf(backend);
    const bool has_node = state.sample && std::any_of(state.sample->info.nodes.begin(), state.sample->info.nodes.end(),
                                                      [&](const auto& node) { return node.host == host; });
    if (has_node) backends.push_back(backend);
  }
  if (backends.empty()) {
    const Error unknown = Error::WithRemedy(ErrorCode::kNotFound, "no backend has a node '" + OneLine(host, 200) + "'",
                                            "GET /api/v1/cluster/nodes lists the nodes");
    return respond(web::ToResponse(ToProblem(unknown)));
  }
  const Instant now = services.clock.Now();
  const JobQuery query{.filter = {{.field = Term::Field::kNode, .patterns = {LowerCase(host)}},
                                  {.field = Term::Field::kSince, .at = now - kNodeHistory}},
                       .limit = kMostJobsOfNode,
                       .now = now};
  services.FindPage(query, [&services, host, backends, respond = std::move(respond)](const JobPage& page) {
    ReadJobsOfNode(services, host, backends, page, respond);
  });
}

void ShowNodes(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const bool csv = request.Accepts("text/csv");
  services.cluster->Await([&services, csv, host = arguments.Text("node"), respond = std::move(respond)] {
    if (!host.empty()) return ShowNode(services, host, respond);
    if (csv)
      return respond(CsvOf(services, kNodeFields,
                           [](const std::string&, const ClusterSample& sample) { return NodesJson(sample); }));
    respond(AnswerOf(services, {"nodes"}, [](const std::string&, const ClusterSample& sample) {
      return Json{{"nodes", NodesJson(sample)}};
    }));
  });
}

// The schema of an answer whose backends have these further properties.
std::string SchemaOf(const std::string& properties) {
  return R"({"type": "object", "required": ["now", "backends"], "properties": {"now": {"type": "string"},
  "backends": {"type": "array", "items": {"type": "object",
    "required": ["name", "state", "detail", "since", "at", "age_seconds"], "properties": {
      "name": {"type": "string"}, "state": {"enum": ["loading", "ok", "failing"]},
      "detail": {"type": ["string", "null"]}, "since": {"type": ["string", "null"]},
      "at": {"type": ["string", "null"]}, "age_seconds": {"type": ["number", "null"]}, )" +
         properties + "}}}}}";
}

void AddNodesAndApplications(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("cluster/nodes"),
              .summary = "List the nodes of each backend",
              .parameters = {{.name = "node",
                              .help = "Only this host, with the `tasks` of the portal's jobs, their application "
                                      "`masters`, the number of `others`, and the last 24 hours' `failures`. `avoided` "
                                      "names the running jobs that avoid it, and until when. `others` is null unless "
                                      "`complete`."}},
              .answer = "`state` is the backend's own word. With `Accept: text/csv` one node per line.",
              .answer_schema = SchemaOf(R"("nodes": {"type": ["array", "null"], "items": {"type": "object",
        "required": ["node", "port", "rack", "label", "state", "usable", "health", "containers", "memory_bytes",
          "vcores", "gpus"]}})"),
              .errors = {{404, "No backend has the node."}},
              .tag = "Cluster",
              .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
                ShowNodes(services, request, arguments, std::move(respond));
              }});
  routes.Add({.method = "GET",
              .pattern = Path("cluster/applications"),
              .summary = "List the applications of each backend",
              .answer =
                  "Those of all kinds and users that have not ended, and their sums by type and user. The amounts "
                  "of an application that the backend does not show to this user are null, and so are sums that "
                  "include them. `job`: it is a job of this portal. With `Accept: text/csv` one application per "
                  "line.",
              .answer_schema = SchemaOf(R"("applications": {"type": ["array", "null"], "items": {"type": "object",
        "required": ["id", "name", "type", "user", "queue", "state", "submitted", "containers", "memory_bytes",
          "vcores", "gpus", "job", "reason"]}},
      "by_type": {"type": ["array", "null"], "items": {"type": "object"}},
      "by_user": {"type": ["array", "null"], "items": {"type": "object"}})"),
              .tag = "Cluster",
              .handler = [&services](const Request& request, const Arguments&, Respond respond) {
                ShowApplications(services, request, std::move(respond));
              }});
}

}  // namespace

void AddClusterRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("cluster"),
              .summary = "Show the nodes, the use and the waiting jobs of each backend",
              .parameters = {{.name = "history",
                              .type = web::ValueType::kFlag,
                              .help = "Add the figures of each minute of the last 24 hours that this portal has "
                                      "recorded.",
                              .default_text = "0"}},
              .answer = "`state` of a backend is `loading` before the first answer, `ok`, or `failing` with the reason "
                        "in `detail` and the time of the last answer in `since`; the other fields are then those of "
                        "the last answer, `age_seconds` old. Sums count the nodes that are offered to jobs. `reason` "
                        "of a waiting job is the sentence of `howdah status`.",
              .answer_schema = SchemaOf(R"("nodes": {"type": ["object", "null"]},
      "memory_bytes": {"type": ["object", "null"]}, "vcores": {"type": ["object", "null"]},
      "gpus": {"type": ["object", "null"]}, "pending": {"type": ["object", "null"]},
      "applications": {"type": ["object", "null"]},
      "waiting_jobs": {"type": ["array", "null"], "items": {"$ref": "#/components/schemas/WaitingJob"}},
      "history": {"type": "object"})"),
              .tag = "Cluster",
              .handler = [&services](const Request&, const Arguments& arguments, Respond respond) {
                ShowCluster(services, arguments, std::move(respond));
              }});
  routes.Add({.method = "GET",
              .pattern = Path("cluster/queues"),
              .summary = "List the queues of each backend",
              .answer = "Each queue after its parent. Shares are fractions of the cluster; `used_share` is a fraction "
                        "of the queue's capacity, `am_share` of the queue, and `share` in `held_by` of the memory that "
                        "the queue uses. With `Accept: text/csv` one queue per line.",
              .answer_schema = SchemaOf(R"("queues": {"type": ["array", "null"], "items": {"type": "object",
        "required": ["queue", "parent", "leaf", "state", "used_share", "capacity_share", "maximum_share", "am_share",
          "running", "waiting", "memory_bytes", "vcores", "gpus", "pending", "held_by", "waiting_jobs"]}})"),
              .tag = "Cluster",
              .handler = [&services](const Request& request, const Arguments&, Respond respond) {
                ShowQueues(services, request, std::move(respond));
              }});
  AddNodesAndApplications(services, routes);
}

}  // namespace howdah::portal
