// Jobs of the past: those of the backend, and those in a history directory of TonY.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/client/connection.h"
#include "howdah/client/follow.h"
#include "howdah/client/history_difference.h"
#include "howdah/storage/history/read.h"

namespace howdah::client {

struct HistoryFilter {
  // Empty fields match every job. `name` matches a part of the job's name.
  std::string user, name, status;
  std::optional<Instant> since, until;  // ended at or after `since`; started before `until`
};

// A job and its origin.
struct PastJob {
  journal::JobView view;                        // without tasks
  std::optional<storage::history::Found> tony;  // nullopt for a job of a backend
  backend::Cluster* cluster = nullptr;          // the backend of the job; nullptr for a job in a history of TonY
};

struct TonyDirectory {
  std::unique_ptr<storage::Files> files;
  storage::history::Location location;
};

using TonySettings = std::vector<compat::tony::history::Setting>;

// Reads $TONY_CONF_DIR/tony-site.xml. Returns no settings if the variable is not set or the file does not exist.
Result<TonySettings> ReadTonySite();
// The directory of the history that these settings name, as a path or URI; "" if they name none.
std::string HistoryUri(const TonySettings& site);
// Opens a directory of TonY's history. site: may name other places for its two parts.
Result<TonyDirectory> OpenTonyDirectory(backend::Cluster& cluster, const std::string& uri, const TonySettings& site);

// Not thread-safe. The connection must live longer than this object.
class HistorySource {
 public:
  // `directory` is a directory of TonY's history. If it is empty, uses the backend's jobs, and the directory that
  // tony-site.xml names, if any.
  static Result<HistorySource> Open(Connection& connection, const std::string& directory, NoteHandler on_note);

  // Returns each job once, newest first. If a job's configuration cannot be read, its view has no name.
  Result<std::vector<PastJob>> List(const HistoryFilter& filter);
  // Finds a job of any backend by the texts that FindJob accepts, or else a job of TonY's history by its id or "last".
  Result<PastJob> Find(const std::string& id);

  Result<journal::JobView> Status(const PastJob& job);  // with tasks
  Result<TonySettings> Configuration(const PastJob& job, Secrets secrets = Secrets::kHide);
  // May be called only for a job in a history of TonY.
  Result<std::vector<compat::tony::history::TaskMetrics>> TonyMetrics(const PastJob& job);
  // Returns one line per event, for people or as JSON.
  Result<std::vector<std::string>> Events(const PastJob& job, bool json);

  // Returns nullptr if there is no directory of TonY's history.
  const TonyDirectory* tony() const { return tony_ ? &*tony_ : nullptr; }
  backend::Cluster& cluster() const { return *cluster_; }

 private:
  HistorySource(Connection& connection, backend::Cluster* cluster, std::string own_backend, NoteHandler on_note)
      : connection_(&connection),
        cluster_(cluster),
        own_backend_(std::move(own_backend)),
        on_note_(std::move(on_note)) {}

  Result<PastJob> FindOwn(const std::string& id) const;
  Result<PastJob> FindInTonyHistory(const std::string& id) const;
  Result<journal::JobView> ViewOf(const storage::history::Found& found) const;  // without tasks
  Result<compat::tony::history::Events> EventsOf(const PastJob& job) const;
  // Prints notes about single jobs that could not be read. The other jobs are still shown.
  void Note(const std::vector<std::string>& problems) const;

  Connection* connection_;
  backend::Cluster* cluster_;
  std::string own_backend_;  // whose jobs are listed, too; "" if none
  NoteHandler on_note_;
  std::optional<TonyDirectory> tony_;
};

}  // namespace howdah::client
