#include "howdah/index/ended_jobs.h"

#include <utility>

#include "database.h"
#include "schema.h"

namespace howdah::index {

EndedJobs::EndedJobs(std::unique_ptr<Database> database) : database_(std::move(database)) {}
EndedJobs::EndedJobs(EndedJobs&&) noexcept = default;
EndedJobs::~EndedJobs() = default;

std::optional<EndedJobs> EndedJobs::Open(const std::string& path) {
  auto opened = Database::Open(path, Database::Mode::kExisting);
  if (!opened.ok()) return std::nullopt;
  auto database = std::make_unique<Database>(std::move(*opened));
  const auto state = StateOf(*database);
  if (!state.ok() || *state != SchemaState::kRight) return std::nullopt;
  return EndedJobs(std::move(database));
}

std::optional<journal::JobView> EndedJobs::Find(const std::string& backend, const std::string& id) {
  std::optional<journal::JobView> view;
  const Status status =
      database_->Run("SELECT row, status, crc, user FROM jobs JOIN details USING (n) WHERE id = ? AND backend = ?",
                     {id, backend}, [&](const SqlRow& row) {
                       if (CheckSum(row.Text(0), row.Text(1)) != row.Integer(2)) return;
                       view = journal::FromJson(row.Text(1));
                       if (view) view->user = row.Text(3);
                     });
  // The status belongs to this job only if it says so: the file may contain anything.
  if (!status.ok() || !view || view->id != id || !core::IsFinal(view->state)) return std::nullopt;
  return view;
}

}  // namespace howdah::index
