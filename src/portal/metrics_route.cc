// `/metrics`: figures about the jobs and the portal itself, for Prometheus.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "api.h"
#include "exposition.h"
#include "howdah/base/version.h"
#include "howdah/index/query/filter.h"
#include "howdah/journal/ledger.h"
#include "job_rows.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using MetricType = Exposition::Type;

constexpr size_t kMostSeries = 10'000;
// A scrape usually has 10 s. After this time no further job of a backend is read.
constexpr std::chrono::seconds kReadLimit{5};

struct RunningJob {
  journal::JobView view;  // with the usage of its tasks
  journal::Ledger ledger{};
  std::string backend, queue, user;
};

// The results of the threads of the backends.
struct Scrape {
  std::mutex mutex;
  std::vector<RunningJob> jobs;
  std::map<std::string, int64_t> unread;  // by backend
};

struct Metric {
  const char* name;
  MetricType type;
  const char* help;
};

constexpr Metric kMetrics[] = {
    {"howdah_portal_info", MetricType::kGauge, "The version of the portal; always 1."},
    {"howdah_portal_start_time_seconds", MetricType::kGauge, "When the portal was started, since the Unix epoch."},
    {"howdah_portal_http_connections", MetricType::kGauge, "Open connections."},
    {"howdah_portal_http_connections_total", MetricType::kCounter, "Accepted connections."},
    {"howdah_portal_http_refused_connections_total", MetricType::kCounter, "Connections closed because of a limit."},
    {"howdah_portal_http_responses_total", MetricType::kCounter, "Answers by the class of their status."},
    {"howdah_portal_http_sent_bytes_total", MetricType::kCounter, "Bytes sent."},
    {"howdah_portal_streams", MetricType::kGauge, "Browsers that receive live updates."},
    {"howdah_portal_backend_up", MetricType::kGauge, "Whether the backend answers."},
    {"howdah_portal_backend_complete", MetricType::kGauge, "Whether each job of the backend was read once."},
    {"howdah_portal_unread_jobs", MetricType::kGauge,
     "Running jobs without figures in this answer, because reading failed or "
     "took too long."},
    {"howdah_jobs", MetricType::kGauge, "Jobs by state, backend, queue and user."},
    {"howdah_job_tasks", MetricType::kGauge, "Tasks of a running job, by state."},
    {"howdah_job_vcores", MetricType::kGauge, "Cores granted to the tasks of a running job."},
    {"howdah_job_memory_granted_bytes", MetricType::kGauge, "Memory granted to the tasks of a running job."},
    {"howdah_job_gpus", MetricType::kGauge, "GPUs granted to the tasks of a running job."},
    {"howdah_job_cpu_seconds_total", MetricType::kCounter, "CPU time that the tasks of a running job have used."},
    {"howdah_job_memory_bytes", MetricType::kGauge, "Memory that the tasks of a running job use."},
    {"howdah_job_gpu_utilisation_ratio", MetricType::kGauge,
     "Average use of a running job's GPUs so far, from 0 to 1."},
    {"howdah_job_step", MetricType::kGauge, "The lowest step of a running job's tasks."},
    {"howdah_job_steps", MetricType::kGauge, "The number of steps until the end of a running job."},
    {"howdah_job_held_seconds_total", MetricType::kCounter,
     "Hardware that a running job has held: GPU seconds, vcore "
     "seconds, GiB seconds."},
    {"howdah_job_useful_seconds", MetricType::kGauge,
     "The useful part of howdah_job_held_seconds_total. It decreases when steps are lost."},
};

// Reads the running jobs of a backend, until the time is used up.
Status ReadJobs(Cluster& cluster, const std::string& backend, const std::vector<RowPointer>& rows, Instant now,
                Scrape& scrape) {
  const auto until = std::chrono::steady_clock::now() + kReadLimit;
  int64_t unread = 0;
  for (const RowPointer& row : rows) {
    if (std::chrono::steady_clock::now() > until) {
      ++unread;
      continue;
    }
    const JobId id{row->id};
    RunningJob job{.backend = backend, .queue = row->queue, .user = row->user};
    auto view = cluster.Status(id);
    Status read = view.ok() ? cluster.ReadJournal(id, [&](const core::JournalEntry& entry) { job.ledger.Take(entry); })
                            : Status(view.error());
    if (!read.ok()) {
      ++unread;
      continue;
    }
    if (core::IsFinal(view->state)) continue;  // it has ended since the row was written
    job.ledger.AdvanceTo(now);
    job.view = std::move(*view);
    const std::lock_guard lock(scrape.mutex);
    scrape.jobs.push_back(std::move(job));
  }
  const std::lock_guard lock(scrape.mutex);
  scrape.unread[backend] = unread;
  return {};
}

void AddPortal(const Services& services, Exposition& page) {
  page.Add("howdah_portal_info", {{"version", std::string(kVersion)}}, 1);
  const auto started = services.facts.started.time_since_epoch();
  page.Add("howdah_portal_start_time_seconds", {}, std::chrono::duration<double>(started).count());
  const web::Statistics statistics = services.statistics();
  page.Add("howdah_portal_http_connections", {}, static_cast<double>(statistics.open));
  page.Add("howdah_portal_http_connections_total", {}, static_cast<double>(statistics.connections));
  page.Add("howdah_portal_http_refused_connections_total", {}, static_cast<double>(statistics.turned_away));
  for (size_t digit = 1; digit < std::size(statistics.answers); ++digit) {
    page.Add("howdah_portal_http_responses_total", {{"code", std::to_string(digit) + "xx"}},
             static_cast<double>(statistics.answers[digit]));
  }
  page.Add("howdah_portal_http_sent_bytes_total", {}, static_cast<double>(statistics.bytes_sent));
  page.Add("howdah_portal_streams", {}, static_cast<double>(services.hub->readers()));
  for (const BackendService& backend : services.backends) {
    const Exposition::Labels labels = {{"backend", backend.name}};
    page.Add("howdah_portal_backend_up", labels, backend.state.kind == BackendState::Kind::kFailing ? 0 : 1);
    page.Add("howdah_portal_backend_complete", labels, backend.state.complete ? 1 : 0);
  }
}

void AddHeld(const std::string& metric, const Exposition::Labels& of_job, const journal::Held& held, Exposition& page) {
  const auto add = [&](const char* resource, double seconds) {
    Exposition::Labels labels = of_job;
    labels.emplace_back("resource", resource);
    page.Add(metric, labels, seconds);
  };
  add("gpu", journal::Seconds(held.gpus));
  add("vcore", journal::Seconds(held.vcores));
  add("memory_gib", journal::GibSeconds(held.memory));
}

// The CPU time of all containers so far. The journal has it up to the end of the last attempt in each, and the AM the
// newest sample. nullopt if a running task has no sample, as after a restart of the AM: the sum would be too low.
std::optional<double> CpuSeconds(const RunningJob& job) {
  double sum = job.ledger.job().earlier_cpu_seconds;
  for (const journal::TaskView& task : job.ledger.job().tasks) {
    const journal::TaskView* now = job.view.Find(task.role, task.index);
    const bool same = now != nullptr && now->container == task.container;
    const bool sampled = same && now->usage.memory_bytes > 0;
    if (task.state == core::TaskState::kRunning && !sampled) return std::nullopt;
    sum += std::max(task.container_cpu_seconds, same ? now->usage.cpu_seconds : 0);
  }
  return sum;
}

void AddJob(const RunningJob& job, Exposition& page) {
  const Exposition::Labels labels = {{"job", job.view.id},
                                     {"name", job.view.name},
                                     {"backend", job.backend},
                                     {"queue", job.queue},
                                     {"user", job.user}};
  std::map<std::string, int64_t> states;
  core::Resources granted;
  int64_t memory = 0;
  double gpu_use = 0;
  int64_t gpu_tasks = 0;
  std::optional<int64_t> step, steps;
  for (const journal::TaskView& task : job.view.tasks) {
    ++states[std::string(core::ToText(task.state))];
    if (task.granted) {
      granted.memory_bytes += task.granted->memory_bytes;
      granted.vcores += task.granted->vcores;
      granted.gpus += task.granted->gpus;
    }
    if (task.state == core::TaskState::kRunning) memory += task.usage.memory_bytes;
    if (task.usage.gpu) gpu_use += task.usage.gpu->utilisation_average, ++gpu_tasks;
    if (!task.progress) continue;
    if (task.progress->step) step = std::min(step.value_or(*task.progress->step), *task.progress->step);
    if (task.progress->steps) steps = std::max(steps.value_or(0), *task.progress->steps);
  }
  for (const auto& [state, count] : states) {
    Exposition::Labels of_state = labels;
    of_state.emplace_back("state", state);
    page.Add("howdah_job_tasks", of_state, static_cast<double>(count));
  }
  page.Add("howdah_job_vcores", labels, static_cast<double>(granted.vcores));
  page.Add("howdah_job_memory_granted_bytes", labels, static_cast<double>(granted.memory_bytes));
  page.Add("howdah_job_gpus", labels, static_cast<double>(granted.gpus));
  if (const auto cpu = CpuSeconds(job)) page.Add("howdah_job_cpu_seconds_total", labels, *cpu);
  page.Add("howdah_job_memory_bytes", labels, static_cast<double>(memory));
  if (gpu_tasks > 0) page.Add("howdah_job_gpu_utilisation_ratio", labels, gpu_use / static_cast<double>(gpu_tasks));
  if (step) page.Add("howdah_job_step", labels, static_cast<double>(*step));
  if (steps) page.Add("howdah_job_steps", labels, static_cast<double>(*steps));
  if (!job.ledger.known()) return;
  AddHeld("howdah_job_held_seconds_total", labels, job.ledger.Total(), page);
  if (!job.ledger.knows_buckets()) return;
  AddHeld("howdah_job_useful_seconds", labels, job.ledger.Of(journal::Bucket::kUseful), page);
}

web::Response Answer(const Services& services, const JobPage& page_of_jobs, Scrape& scrape) {
  Exposition page(kMostSeries - 1);  // one for the omitted series
  for (const Metric& metric : kMetrics) page.Declare(metric.name, metric.type, metric.help);
  AddPortal(services, page);
  const std::lock_guard lock(scrape.mutex);
  for (const auto& [backend, count] : scrape.unread)
    page.Add("howdah_portal_unread_jobs", {{"backend", backend}}, static_cast<double>(count));
  for (const index::query::JobGroup& group : page_of_jobs.groups) {
    page.Add("howdah_jobs",
             {{"state", std::string(core::ToText(group.state))},
              {"backend", group.backend},
              {"queue", group.queue},
              {"user", group.user}},
             static_cast<double>(group.count));
  }
  for (const RunningJob& job : scrape.jobs) AddJob(job, page);
  Exposition omitted(1);
  omitted.Declare("howdah_portal_omitted_series", MetricType::kGauge,
                  "Series that are not in this answer, because it has 10000 already.");
  omitted.Add("howdah_portal_omitted_series", {}, static_cast<double>(page.omitted()));
  return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, page.Text() + omitted.Text()};
}

using RowsByBackend = std::map<std::string, std::vector<RowPointer>>;

// Reads these jobs, then counts all jobs, so that the counts include the jobs that were read.
void AnswerWith(Services& services, const RowsByBackend& rows, web::Respond respond) {
  const auto rows_of = [rows](const std::string& backend) {
    const auto found = rows.find(backend);
    return found == rows.end() ? std::vector<RowPointer>() : found->second;
  };
  const auto scrape = std::make_shared<Scrape>();
  const auto work = [scrape, rows_of, now = services.clock.Now()](Cluster& cluster, const std::string& backend) {
    return ReadJobs(cluster, backend, rows_of(backend), now, *scrape);
  };
  AskAll(services, work, [&services, scrape, rows_of, respond = std::move(respond)](const auto& failed) {
    for (const auto& [backend, error] : failed) {
      const std::lock_guard lock(scrape->mutex);
      scrape->unread[backend] = static_cast<int64_t>(rows_of(backend).size());
    }
    const JobQuery counts{.limit = 0, .groups = true, .now = services.clock.Now()};
    services.FindPage(
        counts, [&services, scrape, respond](const JobPage& counted) { respond(Answer(services, counted, *scrape)); });
  });
}

void AnswerScrape(Services& services, web::Respond respond) {
  const Instant now = services.clock.Now();
  const auto filter = index::query::ParseFilter("state:RUNNING,RECOVERING", "", now);
  const JobQuery running{.filter = std::get<index::query::Filter>(filter), .limit = kMostSeries, .now = now};
  services.FindPage(running, [&services, respond = std::move(respond)](const JobPage& jobs) {
    RowsByBackend rows;
    for (const RowPointer& row : jobs.rows) rows[row->backend].push_back(row);
    AnswerWith(services, rows, respond);
  });
}

}  // namespace

void AddMetricsRoute(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = "/metrics",
              .summary = "Show figures for Prometheus",
              .answer = "The text format 0.0.4: [portal.md](portal.md#prometheus-and-grafana). At most 10,000 series.",
              .answer_type = "text/plain",
              .tag = "Portal",
              .handler = [&services](const web::Request&, const web::Arguments&, web::Respond respond) {
                AnswerScrape(services, std::move(respond));
              }});
}

}  // namespace howdah::portal
