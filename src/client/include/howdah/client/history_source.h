// The jobs of `howdah history`: the place's own, and those of a history of TonY.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "syntax.h"
#include "howdah/backend/cluster.h"
#include "howdah/storage/history/read.h"
#include "connection.h"

namespace howdah::cli {

// A job, and where it is known from.
struct PastJob {
  journal::JobView view;                        // without tasks
  std::optional<storage::history::Found> tony;  // none: the place's own
};

// A history of TonY.
struct TonyDirectory {
  std::unique_ptr<storage::Files> files;
  storage::history::Location location;
};

// tony-site.xml of $TONY_CONF_DIR; nothing where there is none.
Result<std::vector<compat::tony::history::Setting>> TonySite();

// One thread; owned by its command, like the shell.
class HistorySource {
 public:
  // dir: of --dir; empty: the place's own jobs, and the directory that tony-site.xml names, if it names one.
  static Result<HistorySource> Open(Shell& shell, const std::string& dir);

  // Newest first, each once. A job without its name read has none.
  Result<std::vector<PastJob>> List(const HistoryArguments& filter);
  Result<PastJob> Find(const std::string& id);

  Result<journal::JobView> Status(const PastJob& job);  // with tasks
  Result<std::vector<compat::tony::history::Setting>> Configuration(const PastJob& job);
  Result<std::vector<compat::tony::history::TaskMetrics>> Metrics(const PastJob& job);
  // A line each, for people or as JSON.
  Result<std::vector<std::string>> Events(const PastJob& job, bool json);

  // Null: there is none.
  const TonyDirectory* tony() const { return tony_ ? &*tony_ : nullptr; }
  backend::Cluster& place() const { return *place_; }

 private:
  HistorySource(backend::Cluster* place, bool with_own) : place_(place), with_own_(with_own) {}

  Result<journal::JobView> ViewOf(const storage::history::Found& found) const;  // without tasks
  Result<compat::tony::history::Events> EventsOf(const PastJob& job) const;

  backend::Cluster* place_;
  bool with_own_;
  std::optional<TonyDirectory> tony_;
};

// `--dir`, else what tony-site.xml says; an error with code kUsage if neither does.
Result<HistorySource> OpenTony(Shell& shell, const HistoryArguments& arguments);

}  // namespace howdah::cli
