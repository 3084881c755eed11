#include "howdah/client/indexed_jobs.h"

#include <memory>
#include <utility>

#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/index/ended_jobs.h"
#include "howdah/os/process/machine.h"

namespace howdah::client {

std::string IndexPath(const std::string& home) { return home + "/portal/index.db"; }

backend::EndedJobs IndexedJobs(const std::string& backend) {
  const auto home =
      HowdahHome([](const std::string& name) { return Variable(name).value_or(""); }, os::process::WorkingDirectory);
  if (!home.ok()) return {};
  auto opened = index::EndedJobs::Open(IndexPath(*home));
  if (!opened) return {};
  const auto jobs = std::make_shared<index::EndedJobs>(std::move(*opened));
  return [jobs, backend](const JobId& id) { return jobs->Find(backend, id.text); };
}

}  // namespace howdah::client
