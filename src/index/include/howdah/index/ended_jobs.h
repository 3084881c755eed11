// The jobs that have ended, as an index has them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::index {

class Database;

// Reads an index that another program keeps, and does not change it. Used on one thread.
class EndedJobs {
 public:
  // nullopt if the file is missing or cannot be read: the caller reads the jobs from the backends.
  static std::optional<EndedJobs> Open(const std::string& path);
  EndedJobs(EndedJobs&&) noexcept;
  ~EndedJobs();

  // The final status of a job, without tasks and time breakdown. nullopt if the index does not have it.
  std::optional<journal::JobView> Find(const std::string& backend, const std::string& id);

 private:
  explicit EndedJobs(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
};

}  // namespace howdah::index
