// A job as TonY's history tells it, from our journal and back.
#pragma once

#include <string>
#include <vector>

#include "howdah/compat/tony/history/configuration.h"
#include "howdah/compat/tony/history/events.h"
#include "howdah/compat/tony/history/file_name.h"
#include "howdah/core/change.h"
#include "howdah/journal/job_view.h"

namespace howdah::compat::tony::history {

// The container that the application master runs in, where it is known.
struct AmPlace {
  std::string host;
  std::string container;  // empty: none
};

// What was measured of a task, by TonY's names and in its units: bytes, and percent of its GPUs' time and memory. And
// CPU_SECONDS, which TonY has not. TonY's ..._GPU_MAIN_MEMORY_USAGE (BAR1, the window through which the host sees a
// GPU's memory) says nothing of what a task needs, and is not measured.
std::vector<Metric> MetricsOf(const core::Usage& usage);

// The events of a journal, as far as it goes. Every attempt of a task starts and finishes; one that did not get to its
// end is FINISHED, TonY's word for what was stopped.
std::vector<Event> EventsOf(const std::vector<core::JournalEntry>& journal, const std::string& application,
                            const AmPlace& am);

// The file of events' name at the end of the job that `view` shows.
FileName EndName(const journal::JobView& view, Instant started);

// What is told of a job's task, beside its status.
struct TaskMetrics {
  std::string role;
  int index = 0;
  std::vector<Metric> metrics;  // of its last attempt that has any
};

// The status of a job of TonY's history; its id is the one by which Howdah knows it, if it is one of Howdah's. Without
// events: of the job alone.
journal::JobView ViewOf(const FileName& name, const std::vector<Setting>& configuration,
                        const std::vector<Event>& events);
// In the order in which the tasks started.
std::vector<TaskMetrics> MetricsOf(const std::vector<Event>& events);

}  // namespace howdah::compat::tony::history
