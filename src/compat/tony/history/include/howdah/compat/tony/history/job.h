// Converts Howdah's journal to TonY's history, and TonY's history to a job's status.
#pragma once

#include <string>
#include <vector>

#include "howdah/compat/tony/history/configuration.h"
#include "howdah/compat/tony/history/events.h"
#include "howdah/compat/tony/history/file_name.h"
#include "howdah/core/change.h"
#include "howdah/journal/job_view.h"

namespace howdah::compat::tony::history {

// The facts known about the application master's container.
struct AmContainer {
  std::string host;
  std::string container;  // empty if there is none
};

// A task's metrics with TonY's names and units: bytes, and percent of the time and memory of the task's GPUs.
// CPU_SECONDS is an addition to TonY's metrics. TonY's ..._GPU_MAIN_MEMORY_USAGE (BAR1, the window through which the
// host accesses GPU memory) is left out, because it does not depend on the task.
std::vector<Metric> MetricsOf(const core::Usage& usage);

// Converts a journal, which may be incomplete, to events. Every attempt of a task has a start and a finish. A stopped
// attempt has the status FINISHED, as in TonY.
std::vector<Event> EventsOf(const std::vector<core::JournalEntry>& journal, const std::string& application,
                            const AmContainer& am);

// The name of the file of events of a finished job.
FileName EndName(const journal::JobView& view, Instant started);

// The metrics of a task.
struct TaskMetrics {
  std::string role;
  int index = 0;
  std::vector<Metric> metrics;  // the metrics of the last attempt that has any
};

// Converts TonY's history to a journal: when the tasks ran and on which nodes, how they ended, and when the job ended.
// Each task holds the hardware that the configuration requested from its start to its end. If the configuration does
// not have the request of every role, no hardware is recorded. If Howdah ran the job, the journal has Howdah's job id.
// on: the backend that the journal names. `events` may come from a damaged file; times are moved into the life of the
// job. If more events have been written meanwhile, a later journal begins with the same entries, except for the number
// of tasks in the first one.
std::vector<core::JournalEntry> JournalOf(const FileName& name, const std::vector<Setting>& configuration,
                                          const std::vector<Event>& events, const std::string& on);
// The status of a job in TonY's history. If Howdah ran the job, the status has Howdah's job id. If `events` is empty,
// the status has no tasks.
journal::JobView ViewOf(const FileName& name, const std::vector<Setting>& configuration,
                        const std::vector<Event>& events);
// The metrics of the tasks, in the order in which the tasks started.
std::vector<TaskMetrics> MetricsOf(const std::vector<Event>& events);

}  // namespace howdah::compat::tony::history
