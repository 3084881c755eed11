// The stages of a job's start, as lines for people. Without these lines, a reader without a live table would see
// nothing while files are localized and copied.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "howdah/core/change.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::output {

// Selects the entries of a journal that begin a new stage of the start. A stage gives one line, for the first task that
// reaches it: the others follow within moments, and a large job would print hundreds of equal lines. A restart of the
// job shows its stages again.
class StartupLines {
 public:
  // after: the status with this entry applied.
  std::optional<std::string> Take(const core::JournalEntry& entry, const journal::JobView& after);

 private:
  std::set<std::string> shown_;  // stages, without the name of the node
};

}  // namespace howdah::cli::output
