// What people are shown of jobs. Pure: the time and whether there is colour come in as arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/journal/job_view.h"

namespace howdah::cli {

// "RUNNING", in its colour if wanted.
std::string StateText(core::JobState state, bool colour);
std::string StateText(core::TaskState state, bool colour);
// "exit code 7", "SIGSEGV"; empty: it has not ended.
std::string ExitText(const journal::TaskView& task);

// `howdah status`: the job and a table of its tasks.
std::string DescribeJob(const journal::JobView& view, Instant now, bool colour);
// `howdah list`.
std::string DescribeJobs(const std::vector<journal::JobView>& views, Instant now, bool colour);

// What `run` says on stderr about an entry, for a pipe; nullopt: nothing. `before` and `after`: the states around it.
std::optional<std::string> ProgressLine(const core::JournalEntry& entry, core::JobState before, core::JobState after);
// The last words of `run`: how it ended, why, what to do, where the output is.
std::string Farewell(const journal::JobView& view, const std::string& logs);

// The live table of `run` and `status --watch`: at most `rows` lines of at most `columns`. Tasks of a large job are
// counted by role.
std::vector<std::string> LiveTable(const journal::JobView& view, Instant now, size_t columns, size_t rows, bool colour);

// The exit code that `run` and `wait` give.
int ExitCodeOf(const journal::JobView& view);

}  // namespace howdah::cli
