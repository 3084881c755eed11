#include "howdah/client/find_job.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "howdah/client/history_source.h"
#include "howdah/client/indexed_jobs.h"
#include "howdah/client/submitter.h"
#include "howdah/journal/ledger.h"

namespace howdah::client {
namespace {

using journal::JobView;

constexpr size_t kListed = 5;
// Shorter texts match too many ids.
constexpr size_t kShortestPart = 4;

Result<std::vector<Backend>> ConnectTo(Connection& connection, const std::vector<std::string>& names) {
  std::vector<Backend> backends;
  for (const std::string& name : names) {
    HOWDAH_TRY(backend::Cluster* const cluster, connection.ClusterOn(name));
    backends.push_back({name, cluster});
  }
  return backends;
}

bool IsSet(const std::string& variable) { return !Variable(variable).value_or("").empty(); }

bool HasPart(const std::string& id, const std::string& part) {
  if (part.size() < kShortestPart) return false;
  return id.starts_with(part) || id.ends_with("-" + part) || id.ends_with("_" + part);
}

std::string Listed(const std::vector<const JobView*>& jobs) {
  std::string text;
  for (size_t i = 0; i < std::min(jobs.size(), kListed); ++i) {
    text += (i == 0 ? "" : ", ") + jobs[i]->id + " (" + jobs[i]->name + ", " +
            std::string(core::ToText(jobs[i]->state)) + ")";
  }
  return jobs.size() > kListed ? text + " and " + std::to_string(jobs.size() - kListed) + " more" : text;
}

Error Ambiguous(const std::string& text, const std::vector<const JobView*>& jobs) {
  return {ErrorCode::kUsage,
          "'" + text + "' matches " + std::to_string(jobs.size()) + " jobs: " + Listed(jobs) + "; write the whole id"};
}

enum class Purpose { kRead, kChange };

using Ask = std::function<Status(const Backend& backend)>;

// Asks every backend. Returns the names of those that could not be reached.
Result<std::vector<std::string>> AskEach(const std::vector<Backend>& backends, const OnNote& on_note, const Ask& ask) {
  std::vector<std::string> unreachable;
  for (const Backend& backend : backends) {
    const Status asked = ask(backend);
    if (asked.ok()) continue;
    HOWDAH_TRY_STATUS(Skip(backends, backend, asked.error(), on_note));
    if (asked.error().code != ErrorCode::kNotFound) unreachable.push_back(backend.name);
  }
  return unreachable;
}

// An unreachable backend may have the wanted job. So a job that the others have is only good enough to be read.
Status CheckReached(const std::string& text, const std::vector<std::string>& unreachable, Purpose purpose, bool found) {
  if (unreachable.empty() || (found && purpose == Purpose::kRead)) return {};
  return Error::WithRemedy(
      ErrorCode::kUnavailable,
      "looking for job '" + text + "': the backend " + unreachable.front() + " could not be reached, and may have it",
      "write the whole id, or choose a backend with --on");
}

Result<Job> FindLast(const std::vector<Backend>& backends, Purpose purpose, const OnNote& on_note) {
  if (backends.size() == 1) {
    HOWDAH_TRY(JobId id, backends.front().cluster->Resolve("last"));
    return Job{backends.front().cluster, std::move(id)};
  }
  std::optional<Job> newest;
  std::string newest_on;
  Instant newest_time{};
  std::optional<Error> first_error;
  const auto ask = [&](const Backend& backend) -> Status {
    auto id = backend.cluster->Resolve("last");
    if (!id.ok() && !first_error) first_error = id.error();
    if (!id.ok()) return id.error();
    const auto view = backend.cluster->Status(*id);
    if (!view.ok()) {
      return Error{ErrorCode::kUnavailable,
                   "the newest job, " + id->text + ", cannot be read: " + view.error().message};
    }
    const Instant submitted = view->submitted.value_or(Instant());
    if (newest && submitted < newest_time) return {};
    newest = Job{backend.cluster, std::move(*id)};
    newest_on = backend.name;
    newest_time = submitted;
    return {};
  };
  HOWDAH_TRY(const auto unreachable, AskEach(backends, on_note, ask));
  HOWDAH_TRY_STATUS(CheckReached("last", unreachable, purpose, newest.has_value()));
  if (!newest) return *first_error;
  on_note("last is " + newest->id.text + " on " + newest_on);
  return *newest;
}

Error NotFound(const std::string& name, const std::vector<JobView>& jobs) {
  const std::string text = "looking for job '" + name + "': no job has this name or id";
  if (jobs.empty()) return {ErrorCode::kNotFound, text + ", and there is no job yet; start one with `howdah run`"};
  std::vector<const JobView*> listed;
  for (const JobView& job : jobs) listed.push_back(&job);
  return {ErrorCode::kNotFound,
          text + "; the jobs are " + Listed(listed) + "; `howdah list --all` shows all, and `last` is the newest"};
}

// Matches the text with the jobs of all backends together: the running job of a name may be on any of them.
Result<Job> FindByText(const std::vector<Backend>& backends, const std::string& text, Purpose purpose,
                       const OnNote& on_note) {
  std::vector<JobView> jobs;
  std::map<std::string, backend::Cluster*> cluster_of;
  const auto ask = [&](const Backend& backend) -> Status {
    HOWDAH_TRY(const auto listed, backend.cluster->List(/*ended_too=*/true, IndexedJobs(backend.name)));
    for (const JobView& job : listed) cluster_of[job.id] = backend.cluster;
    jobs.insert(jobs.end(), listed.begin(), listed.end());
    return {};
  };
  HOWDAH_TRY(const auto unreachable, AskEach(backends, on_note, ask));
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobView& a, const JobView& b) { return a.submitted > b.submitted; });
  HOWDAH_TRY(const auto id, MatchJob(text, jobs));
  HOWDAH_TRY_STATUS(CheckReached(text, unreachable, purpose, id.has_value()));
  if (!id) return NotFound(text, jobs);
  return Job{cluster_of.at(id->text), *id};
}

Result<Job> FindById(Connection& connection, const std::string& id, const std::string& backend) {
  if (!connection.on().empty() && connection.on() != backend) {
    return Error{ErrorCode::kUsage, "looking for job '" + id + "': this is the id of a job on " + backend +
                                        ", and --on is " + connection.on() + "; leave out --on"};
  }
  HOWDAH_TRY(backend::Cluster* const cluster, connection.ClusterOn(backend));
  HOWDAH_TRY(JobId resolved, cluster->Resolve(id));
  return Job{cluster, std::move(resolved)};
}

Result<Job> Find(Connection& connection, const std::string& name, Purpose purpose, const OnNote& on_note) {
  const auto backend = BackendOfId(name);
  if (backend) return FindById(connection, name, *backend);
  HOWDAH_TRY(const auto backends, Connect(connection));
  return name == "last" ? FindLast(backends, purpose, on_note) : FindByText(backends, name, purpose, on_note);
}

}  // namespace

Result<std::vector<std::string>> BackendNames(const Connection& connection) {
  std::vector<std::string> names;
  const std::string& on = connection.on();
  for (size_t begin = 0; on.find(',') != std::string::npos && begin <= on.size();) {
    const size_t end = std::min(on.find(',', begin), on.size());
    const std::string name = on.substr(begin, end - begin);
    if (name != "local" && name != "yarn")
      return Error{ErrorCode::kUsage, "--on: unknown backend '" + name + "'; write local, yarn or local,yarn"};
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    begin = end + 1;
  }
  if (!names.empty()) return names;
  HOWDAH_TRY(const auto chosen, connection.Chosen());
  if (chosen) return std::vector<std::string>{*chosen};
  names = {"local"};
  if (IsSet("HADOOP_CONF_DIR") || IsSet("YARN_CONF_DIR")) names.push_back("yarn");
  return names;
}

Result<std::vector<std::string>> BackendNamesWithHistory(const Connection& connection) {
  HOWDAH_TRY(auto names, BackendNames(connection));
  HOWDAH_TRY(const TonySettings site, ReadTonySite());
  if (!HistoryUri(site).empty()) names.push_back(journal::kTonyHistory);
  return names;
}

Result<std::vector<Backend>> Connect(Connection& connection) {
  HOWDAH_TRY(const auto names, BackendNames(connection));
  return ConnectTo(connection, names);
}

Result<std::vector<Backend>> ConnectWithHistory(Connection& connection) {
  HOWDAH_TRY(const auto names, BackendNamesWithHistory(connection));
  return ConnectTo(connection, names);
}

Status Skip(const std::vector<Backend>& backends, const Backend& failed, const Error& error, const OnNote& on_note) {
  if (backends.size() > 1 && error.code == ErrorCode::kNotFound) return {};
  if (backends.size() == 1 || failed.name == "local" || error.code == ErrorCode::kUsage) return error;
  on_note("skipping " + failed.name + ": " + error.message + "; `--on local` leaves it out");
  return {};
}

std::optional<std::string> BackendOfId(const std::string& id) {
  const auto digits = [&](size_t begin, size_t end) {
    return begin < end && std::all_of(id.begin() + static_cast<long>(begin), id.begin() + static_cast<long>(end),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  constexpr std::string_view kApplication = "application_", kLocal = "howdah-";
  if (id.starts_with(kApplication)) {
    const size_t second = id.find('_', kApplication.size());
    if (second != std::string::npos && digits(kApplication.size(), second) && digits(second + 1, id.size())) {
      return "yarn";
    }
  }
  // The form of the id is howdah-20261121-064512-x7k2.
  constexpr size_t kDate = 8, kTime = 6, kRandom = 4;
  const size_t date = kLocal.size(), time = date + kDate + 1, random = time + kTime + 1;
  if (id.starts_with(kLocal) && id.size() == random + kRandom && id[time - 1] == '-' && id[random - 1] == '-' &&
      digits(date, time - 1) && digits(time, random - 1)) {
    return "local";
  }
  return std::nullopt;
}

Result<std::optional<JobId>> MatchJob(const std::string& text, const std::vector<JobView>& jobs) {
  std::vector<const JobView*> named, live, parts;
  for (const JobView& job : jobs) {
    if (job.name == text) named.push_back(&job);
    if (job.name == text && !core::IsFinal(job.state)) live.push_back(&job);
    if (HasPart(job.id, text)) parts.push_back(&job);
  }
  if (live.size() > 1) return Ambiguous(text, live);
  if (live.size() == 1) return std::optional(JobId{live.front()->id});
  if (!named.empty()) return std::optional(JobId{named.front()->id});
  if (parts.size() > 1) return Ambiguous(text, parts);
  if (parts.size() == 1) return std::optional(JobId{parts.front()->id});
  return std::optional<JobId>();
}

Result<Job> FindJob(Connection& connection, const std::string& name, const OnNote& on_note) {
  return Find(connection, name, Purpose::kRead, on_note);
}

Result<Job> FindJobToChange(Connection& connection, const std::string& name, const OnNote& on_note) {
  return Find(connection, name, Purpose::kChange, on_note);
}

Result<FoundJobs> LiveJobs(Connection& connection, const std::string& name, const OnNote& on_note) {
  HOWDAH_TRY(const auto backends, Connect(connection));
  FoundJobs live;
  const auto ask = [&](const Backend& backend) -> Status {
    HOWDAH_TRY(const auto jobs, backend.cluster->List(/*ended_too=*/false));
    for (const JobView& job : jobs) {
      if (name.empty() || job.name == name) live.jobs.push_back({backend.cluster, JobId{job.id}});
    }
    return {};
  };
  HOWDAH_TRY(live.unreachable, AskEach(backends, on_note, ask));
  return live;
}

}  // namespace howdah::client
