// Jobs and tasks as text for people. Pure: the time and the choice of colours are arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/cli/output/text_table.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::output {

// The state, such as "RUNNING", coloured if `colour` is set.
std::string StateText(core::JobState state, bool colour);
std::string StateText(core::TaskState state, bool colour);
// The state as a cell of a table.
Cell StateCell(core::JobState state, bool colour);
Cell StateCell(core::TaskState state, bool colour);

// The output of `howdah status`: the job and a table of its tasks. advice: the lines that follow the job's own advice
// (AdviceLines).
std::string DescribeJob(const journal::JobView& view, Instant now, bool colour,
                        const std::vector<std::string>& advice = {});
// The output of `howdah list`.
std::string DescribeJobs(const std::vector<journal::JobView>& views, Instant now, bool colour);

// The line that `run` prints on stderr for an entry, or nullopt if it prints none. `before` and `after` are the job's
// states before and after the entry.
std::optional<std::string> ProgressLine(const core::JournalEntry& entry, core::JobState before, core::JobState after);
// The last message of `run` and `wait`: state, reason, advice, and the location of the logs. Has no newline at the end.
std::string Summary(const journal::JobView& view, const std::string& logs);

// Names the files that the tasks of an ended job have left in their working directories, and the way to keep them, in
// one line. Empty if there are none, and for a job that has not ended.
std::string LeftFilesText(const journal::JobView& view);

// The live table of `run`: at most `rows` lines of at most `columns`. A job with more tasks than rows gets one line per
// role.
std::vector<std::string> LiveTable(const journal::JobView& view, Instant now, size_t columns, size_t rows, bool colour);

}  // namespace howdah::cli::output
