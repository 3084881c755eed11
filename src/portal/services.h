// The parts of the portal that its routes share.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admission.h"
#include "audit.h"
#include "backend_pool.h"
#include "howdah/index/store.h"
#include "howdah/os/process/clock.h"
#include "howdah/web/message.h"
#include "howdah/web/routes.h"
#include "howdah/web/server.h"
#include "hub.h"
#include "index_reader.h"
#include "job_feed.h"

namespace howdah::portal {

class Apps;
class ClusterSampler;
class TensorBoards;

// One backend: its threads, and what they have reported. Used on the loop's thread.
struct BackendService {
  std::string name;
  bool runs_jobs = true;  // as PortalBackend
  std::unique_ptr<BackendPool> pool;
  std::unique_ptr<JobFeed> feed;
  BackendState state;
};

// Facts about this run of the portal, for its users.
struct PortalFacts {
  std::string user, host;
  std::string requester;  // names the user and the portal in the journals of jobs (client::Requester)
  Instant started;
  bool read_only = false;
  std::optional<jobspec::Prices> prices;
};

// Used on the loop's thread only.
struct Services {
  boost::asio::io_context& loop;
  PortalFacts facts;
  os::process::Clock clock;
  std::unique_ptr<index::Store> jobs;
  int64_t losses = 0;  // of `jobs`, as far as the feeds know
  std::unique_ptr<IndexReader> reader;
  std::vector<BackendService> backends;
  std::unique_ptr<Hub> hub;
  std::shared_ptr<ClusterSampler> cluster;
  std::unique_ptr<AuditLog> audit;
  std::unique_ptr<TokenFile> tokens;
  std::function<web::Statistics()> statistics;  // of the server
  std::shared_ptr<Apps> apps;
  std::shared_ptr<TensorBoards> tensorboards;

  // The caller of a request, or its refusal.
  std::variant<Caller, web::Problem> CallerOf(const web::Request& request);
  // nullptr if the portal does not serve this backend.
  BackendService* Find(const std::string& backend);
  // Selects the rows of these backends: the index may have rows of others.
  index::query::Term Shown() const;
  // Makes the feeds read all jobs again if `jobs` has lost rows.
  void NoticeLosses();
  // Runs a query of the shown rows, which may take long. Calls `done` on the loop's thread, perhaps within this call.
  void FindPage(JobQuery query, std::function<void(JobPage page)> done);
};

// A job that a request names.
struct FoundJob {
  BackendService* backend = nullptr;
  JobId id;
  JobKey key() const { return {backend->name, id.text}; }
};
// Finds the job by its id, by "last", by its name, or by the beginning or end of its id, as the command line does
// (client::MatchJob). If several backends have an id, a backend that runs jobs comes before a history: other users
// write to the history of TonY. kNotFound and kUsage are for people.
Result<FoundJob> FindJob(Services& services, const std::string& name);

// The answer to an error: 400 for wrong usage, 404, 503 or 504. It has the sentence of the command line.
web::Problem ToProblem(const Error& error);

// Makes an answer on a thread of the backend. Problems of the backend are errors.
using MakeAnswer = std::function<Result<web::Response>(backend::Cluster& cluster)>;
// Calls `make` on a thread of the backend and responds with its answer. Responds with 503 if too many requests wait for
// the backend, and with `late` (nullopt: 504) after 10 s; the answer is then discarded.
void AnswerFrom(Services& services, BackendService& backend, MakeAnswer make, web::Respond respond,
                std::optional<web::Response> late = std::nullopt);
// The same for a job. If the backend does not have it, the answer says so, and names similar ones.
void AnswerForJob(Services& services, const FoundJob& job, MakeAnswer make, web::Respond respond,
                  std::optional<web::Response> late = std::nullopt);
// The same for the job that a request names; `make` also receives its id.
void AnswerForJob(Services& services, const std::string& name,
                  std::function<Result<web::Response>(backend::Cluster& cluster, const JobId& id)> make,
                  web::Respond respond);

// Calls `work` on a thread of each of these backends, and then `done` on the loop's thread with the errors of those
// that failed, and those that took longer than 10 s, by name. `work` must store its result itself; after a time-out it
// may still run.
void Ask(Services& services, const std::vector<std::string>& backends,
         std::function<Status(backend::Cluster& cluster, const std::string& name)> work,
         std::function<void(std::vector<std::pair<std::string, Error>> failed)> done);
// The same for all backends.
void AskAll(Services& services, std::function<Status(backend::Cluster& cluster, const std::string& name)> work,
            std::function<void(std::vector<std::pair<std::string, Error>> failed)> done);

}  // namespace howdah::portal
