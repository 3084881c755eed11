#include "services.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/client/find_job.h"

namespace howdah::portal {
namespace {

constexpr std::chrono::seconds kAnswerLimit{10};

Error NoAnswer(const std::string& backend) {
  return {ErrorCode::kTimeout, "the backend '" + backend + "' did not answer within 10 s"};
}

Error TooBusy(const std::string& backend) {
  return Error::WithRemedy(
      ErrorCode::kUnavailable,
      "the backend '" + backend + "' is busy: " + std::to_string(BackendPool::kMostWaiting) + " requests wait for it",
      "try again in a few seconds");
}

// An id is a part of a path on the local backend.
bool IsPlain(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// A request that waits for a thread of a backend. The first of answer and time-out counts.
struct PendingAnswer {
  explicit PendingAnswer(boost::asio::io_context& loop) : limit(loop, kAnswerLimit) {}
  boost::asio::steady_timer limit;
  bool answered = false;
};

// The jobs that the name may mean, newest first; for "last" the newest job.
std::vector<journal::JobView> Candidates(Services& services, const std::string& name) {
  constexpr size_t kMost = 100;
  using Field = index::query::Term::Field;
  const std::string text = LowerCase(name);
  std::vector<journal::JobView> views;
  const auto add = [&](index::query::Filter filter, size_t limit) {
    filter.push_back(services.Shown());
    const JobQuery query{.filter = std::move(filter), .limit = limit, .now = services.clock.Now()};
    for (const RowPointer& row : services.jobs->Find(query).rows) {
      if (std::any_of(views.begin(), views.end(), [&](const journal::JobView& view) { return view.id == row->id; }))
        continue;
      journal::JobView& view = views.emplace_back();
      view.id = row->id, view.name = row->name, view.on = row->backend, view.state = row->state;
    }
  };
  if (name == "last") {
    add({}, 1);
    return views;
  }
  const index::query::Term ended{
      .field = Field::kState,
      .negated = true,
      .states = {core::JobState::kSucceeded, core::JobState::kFailed, core::JobState::kKilled}};
  const index::query::Term named{.field = Field::kName, .patterns = {text}};
  add({named, ended}, kMost);
  add({named}, kMost);
  add({{.field = Field::kId, .patterns = {text + "*", "*-" + text, "*_" + text}}}, kMost);
  return views;
}

// The backend that has this job in the index, one that runs jobs first; nullptr if none has it.
BackendService* BackendWithRow(Services& services, const std::string& id) {
  BackendService* found = nullptr;
  for (BackendService& backend : services.backends) {
    const bool is_better = found == nullptr || (backend.runs_jobs && !found->runs_jobs);
    if (is_better && services.jobs->Get({backend.name, id})) found = &backend;
  }
  return found;
}

}  // namespace

std::variant<Caller, web::Problem> Services::CallerOf(const web::Request& request) {
  return Identify(request, geteuid(), tokens->Read(), clock.Now());
}

BackendService* Services::Find(const std::string& backend) {
  const auto found = std::find_if(backends.begin(), backends.end(),
                                  [&](const BackendService& service) { return service.name == backend; });
  return found == backends.end() ? nullptr : &*found;
}

index::query::Term Services::Shown() const {
  index::query::Term term{.field = index::query::Term::Field::kBackend};
  for (const BackendService& backend : backends) term.patterns.push_back(backend.name);
  return term;
}

void Services::NoticeLosses() {
  jobs->CheckFile();
  if (std::exchange(losses, jobs->losses()) == jobs->losses()) return;
  for (BackendService& backend : backends) {
    backend.state.complete = false;
    if (backend.feed) backend.feed->Relist();
  }
}

void Services::FindPage(JobQuery query, std::function<void(JobPage page)> done) {
  query.filter.push_back(Shown());
  const auto on_page = [this, query, done](std::optional<JobPage> page) {
    boost::asio::post(loop, [this, query, done, page = std::move(page)]() mutable {
      if (!page) page = jobs->Find(query);
      NoticeLosses();
      done(std::move(*page));
    });
  };
  if (jobs->problem().empty() && reader->Find(query, on_page)) return;
  JobPage page = jobs->Find(query);
  NoticeLosses();
  done(std::move(page));
}

Result<FoundJob> FindJob(Services& services, const std::string& name) {
  // A history of TonY has ids of the same form as YARN.
  if (BackendService* const backend = BackendWithRow(services, name)) return FoundJob{backend, JobId{name}};
  if (const auto of_id = client::BackendOfId(name); of_id && IsPlain(name)) {
    if (BackendService* const backend = services.Find(*of_id)) return FoundJob{backend, JobId{name}};
    return Error::WithRemedy(
        ErrorCode::kNotFound,
        "the job '" + name + "' belongs to the backend '" + *of_id + "', which this portal does not show",
        "start it with `--on local,yarn`");
  }
  const std::vector<journal::JobView> views = Candidates(services, name);
  std::optional<JobId> id;
  if (name == "last" && !views.empty()) {
    id = JobId{views.front().id};
  } else {
    HOWDAH_TRY(id, client::MatchJob(name, views));
  }
  BackendService* const backend = id ? BackendWithRow(services, id->text) : nullptr;
  if (backend != nullptr) return FoundJob{backend, *id};
  return Error::WithRemedy(ErrorCode::kNotFound, "no job has the name or id '" + name + "'",
                           "GET /api/v1/jobs lists the jobs");
}

web::Problem ToProblem(const Error& error) {
  const auto status = [&] {
    switch (error.code) {
      case ErrorCode::kUsage:
        return 400;
      case ErrorCode::kNotFound:
        return 404;
      case ErrorCode::kUnavailable:
        return 503;
      case ErrorCode::kTimeout:
        return 504;
      default:
        return 500;
    }
  };
  return {.status = status(), .detail = error.WithoutRemedy(), .advice = error.remedy};
}

void AnswerFrom(Services& services, BackendService& backend, MakeAnswer make, web::Respond respond,
                std::optional<web::Response> late) {
  const auto pending = std::make_shared<PendingAnswer>(services.loop);
  const auto answer = [pending, respond](web::Response response) {
    if (std::exchange(pending->answered, true)) return;
    pending->limit.cancel();
    respond(std::move(response));
  };
  if (!late) late = web::ToResponse(ToProblem(NoAnswer(backend.name)));
  pending->limit.async_wait([pending, answer, late = std::move(*late)](const boost::system::error_code& error) mutable {
    if (!error) answer(std::move(late));
  });
  const bool posted = backend.pool->Post([make = std::move(make), answer, loop = &services.loop](const auto& cluster) {
    auto made = cluster.ok() ? make(**cluster) : Result<web::Response>(cluster.error());
    if (made.ok()) web::Compress(*made);  // here, because it takes long for a large text
    boost::asio::post(*loop, [answer, made = std::move(made)]() mutable {
      answer(made.ok() ? std::move(*made) : web::ToResponse(ToProblem(made.error())));
    });
  });
  if (!posted) answer(web::ToResponse(ToProblem(TooBusy(backend.name))));
}

void AnswerForJob(Services& services, const FoundJob& job, MakeAnswer make, web::Respond respond,
                  std::optional<web::Response> late) {
  const auto of_job = [make = std::move(make), id = job.id](backend::Cluster& cluster) {
    auto made = make(cluster);
    if (made.ok() || made.error().code != ErrorCode::kNotFound) return made;
    const auto known = cluster.Resolve(id.text);
    return known.ok() ? made : Result<web::Response>(known.error());
  };
  AnswerFrom(services, *job.backend, of_job, std::move(respond), std::move(late));
}

void AnswerForJob(Services& services, const std::string& name,
                  std::function<Result<web::Response>(backend::Cluster& cluster, const JobId& id)> make,
                  web::Respond respond) {
  const auto job = FindJob(services, name);
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  const auto of_job = [make = std::move(make), id = job->id](backend::Cluster& cluster) { return make(cluster, id); };
  AnswerForJob(services, *job, of_job, std::move(respond));
}

void Ask(Services& services, const std::vector<std::string>& backends,
         std::function<Status(backend::Cluster& cluster, const std::string& name)> work,
         std::function<void(std::vector<std::pair<std::string, Error>> failed)> done) {
  if (backends.empty()) return done({});
  struct Round {
    explicit Round(boost::asio::io_context& loop) : limit(loop, kAnswerLimit) {}
    boost::asio::steady_timer limit;
    std::vector<std::string> waiting;
    std::vector<std::pair<std::string, Error>> failed;
    bool done = false;
  };
  const auto round = std::make_shared<Round>(services.loop);
  round->waiting = backends;
  const auto finish = [round, done = std::move(done)] {
    if (std::exchange(round->done, true)) return;
    round->limit.cancel();
    done(std::move(round->failed));
  };
  const auto take = [round, finish](const std::string& name, const Status& status) {
    if (!status.ok()) round->failed.emplace_back(name, status.error());
    std::erase(round->waiting, name);
    if (round->waiting.empty()) finish();
  };
  round->limit.async_wait([round, finish](const boost::system::error_code& error) {
    if (error || round->done) return;
    for (const std::string& name : round->waiting) round->failed.emplace_back(name, NoAnswer(name));
    finish();
  });
  for (const std::string& name : backends) {
    const BackendService* const backend = services.Find(name);
    const bool posted = backend->pool->Post([=, loop = &services.loop](const auto& cluster) {
      const Status status = cluster.ok() ? work(**cluster, name) : Status(cluster.error());
      boost::asio::post(*loop, [=] {
        if (!round->done) take(name, status);
      });
    });
    if (!posted) take(name, TooBusy(name));
  }
}

void AskAll(Services& services, std::function<Status(backend::Cluster& cluster, const std::string& name)> work,
            std::function<void(std::vector<std::pair<std::string, Error>> failed)> done) {
  std::vector<std::string> names;
  for (const BackendService& backend : services.backends) names.push_back(backend.name);
  Ask(services, names, std::move(work), std::move(done));
}

}  // namespace howdah::portal
