// Rows of the list of jobs: made from the facts about a job, and written as JSON and CSV.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "howdah/advice/facts.h"
#include "howdah/backend/cluster.h"
#include "howdah/client/goodput_report.h"
#include "howdah/index/query/job_page.h"

namespace howdah::portal {

using index::query::JobKey;
using index::query::JobPage;
using index::query::JobQuery;
using index::query::JobRow;
using index::query::RowPointer;
using Prices = std::optional<jobspec::Prices>;

// Reads a job from its journal and job file, and examines it if it has not ended, or ended in the last 30 days. Blocks.
// A row whose job file cannot be read lacks the fields that follow from it.
Result<JobRow> ReadRow(backend::Cluster& cluster, const JobId& id, const Prices& prices, Instant now);

// Two reads about one job, at different times.
struct JobReads {
  std::function<Status(const std::function<void(const core::JournalEntry&)>& on_entry)> journal;
  std::function<Result<journal::JobView>()> status;  // called only if the journal has no final state
};
// The facts of a job without its job file. If the job ends between the two reads, its journal is read once more,
// because the figures of an ended job need its whole journal.
Result<advice::Facts> ReadFacts(const JobId& id, const JobReads& reads, Instant now);

// A text that differs whenever other prices lead to other costs. Pure.
std::string CostsKey(const Prices& prices);

// The row of these facts. has_spec: whether facts.spec was read. Pure.
JobRow RowOf(const advice::Facts& facts, bool has_spec, const Prices& prices);

// One object: `list --json` with the further fields of the portal's list (docs/api.md). Pure.
std::string RowJson(const JobRow& row, Instant now);
// The further fields alone, without those about tasks, in braces: {"user": "ann", ...}.
std::string ExtraFieldsJson(const JobRow& row, Instant now);
// The same columns as CSV. Pure.
std::string RowCsvTitles();
std::string RowCsv(const JobRow& row, Instant now);

}  // namespace howdah::portal
