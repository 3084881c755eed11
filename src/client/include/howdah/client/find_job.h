// Finds a job by what a user types: an id, "last", the job's name, or the beginning of an id.
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

// A backend that is looked at for jobs.
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
// Decides after an error whether to look on the next backend. If not, returns the error. A cluster that is only
// configured, not chosen, must not make local jobs unusable.
Status Skip(const std::vector<Backend>& backends, const Backend& failed, const Error& error, const OnNote& on_note);

// An id selects its backend: application_1700000000000_0001 is a job on YARN, howdah-20261121-064512-x7k2 a local job.
// Everything else is looked up on the chosen backend. If the user has chosen none, it is also looked up on YARN,
// provided that $HADOOP_CONF_DIR or $YARN_CONF_DIR is set. "last" is the newest job of all backends that are looked up.
// `on_note` then receives the id and the backend, and the reason if YARN cannot be reached.
//
// Errors: kUsage if --on contradicts the id, or if several jobs match; kNotFound if none does.
Result<Job> FindJob(Connection& connection, const std::string& name, const OnNote& on_note);

// The name of the backend whose ids look like this one.
std::optional<std::string> BackendOfId(const std::string& id);

// Selects the job with this name, or else the one whose id begins with the text or ends with "-" or "_" and the text.
// If several jobs have the name, selects the one that has not ended, or the newest if all have ended. Returns nullopt
// if none matches, and kUsage with their ids if it is not clear which one is meant. `jobs`: newest first.
Result<std::optional<JobId>> MatchJob(const std::string& text, const std::vector<journal::JobView>& jobs);

// Returns the jobs that have not ended, on every backend that FindJob would look up. `name`: only jobs with this name,
// unless it is empty.
Result<std::vector<Job>> LiveJobs(Connection& connection, const std::string& name, const OnNote& on_note);

}  // namespace howdah::client
