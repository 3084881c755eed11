// Finds a job by the text that a user types: an id, "last", the job's name, or the beginning or ending of an id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/client/connection.h"

namespace howdah::client {

// A job and its backend.
struct Job {
  backend::Cluster* cluster = nullptr;
  JobId id;
};

using OnNote = std::function<void(const std::string& note)>;

// A backend on which jobs are looked up.
struct Backend {
  std::string name;
  backend::Cluster* cluster = nullptr;
};
// Names the backends on which jobs are looked up, the user's choice or the local one first: those in --on, which may
// name several ("local,yarn"), or the chosen backend, or the local one, and YARN if $HADOOP_CONF_DIR or $YARN_CONF_DIR
// is set. kUsage for an unknown backend.
Result<std::vector<std::string>> BackendNames(const Connection& connection);

// Returns the chosen backend. If the user has chosen none, returns the local one, and YARN if $HADOOP_CONF_DIR or
// $YARN_CONF_DIR is set.
Result<std::vector<Backend>> Connect(Connection& connection);

// The same backends, and the history of TonY (journal::kTonyHistory) if tony-site.xml names one. For reports about all
// jobs: a job of a history cannot be looked up otherwise.
Result<std::vector<std::string>> BackendNamesWithHistory(const Connection& connection);
Result<std::vector<Backend>> ConnectWithHistory(Connection& connection);
// Decides whether a lookup that failed on one backend continues on the others. Returns ok if it continues, and
// otherwise the error. `on_note` receives the error of a backend that is skipped because it could not be reached. A
// cluster that is configured, but not chosen by the user, must not make local jobs unusable.
Status Skip(const std::vector<Backend>& backends, const Backend& failed, const Error& error, const OnNote& on_note);

// An id selects its backend: application_1700000000000_0001 is a job on YARN, howdah-20261121-064512-x7k2 a local job.
// Everything else is looked up on the chosen backend. If the user has chosen none, it is also looked up on YARN,
// provided that $HADOOP_CONF_DIR or $YARN_CONF_DIR is set. "last" is the newest job of all backends that are looked up.
// If several backends are looked up for "last", `on_note` receives the id and the backend of the job. It also receives
// the reason if a backend is skipped because it cannot be reached.
//
// Errors: kUsage if --on contradicts the id, or if several jobs match; kNotFound if none does; kUnavailable if none
// does, and a backend was skipped.
Result<Job> FindJob(Connection& connection, const std::string& name, const OnNote& on_note);
// The same for commands that stop or change a job. Returns kUnavailable if a backend was skipped, because another job
// than the user's could match. A whole id is always found.
Result<Job> FindJobToChange(Connection& connection, const std::string& name, const OnNote& on_note);

// Determines the backend from the form of an id. Returns nullopt if no backend has ids of this form.
std::optional<std::string> BackendOfId(const std::string& id);

// Selects the job with this name, or else the one whose id begins with the text or ends with "-" or "_" and the text.
// If several jobs have the name, selects the one that has not ended, or the newest if all have ended. Returns nullopt
// if none matches, and kUsage with the candidates if several match. `jobs`: newest first.
Result<std::optional<JobId>> MatchJob(const std::string& text, const std::vector<journal::JobView>& jobs);

struct FoundJobs {
  std::vector<Job> jobs;
  std::vector<std::string> unreachable;  // the backends that were skipped
};
// Returns the jobs that have not ended, on every backend that FindJob would look up. If `name` is not empty, returns
// only jobs with this name.
Result<FoundJobs> LiveJobs(Connection& connection, const std::string& name, const OnNote& on_note);

}  // namespace howdah::client
