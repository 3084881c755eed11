#include <algorithm>
#include <climits>

#include "howdah/autoscale/model/workload.h"
#include "howdah/autoscale/resource_types.h"
#include "howdah/keyfile/read_file.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::autoscale::model {

using namespace keyfile;

namespace {

constexpr int kMostJobs = 100'000;
constexpr int kMostInstances = 10'000;

// As in the file: `instances` equal tasks.
struct TasksEntry {
  int instances = 1;
  admission::Resources each{0, 1, 0, {}};
};

// `count` equal jobs, one every `every`.
struct JobsEntry {
  std::string name;
  int count = 1;
  Duration every{0}, at{0}, run{0};
  std::vector<TasksEntry> tasks;
  bool moves = true;
};

struct FileContent {
  NodeShape node;
  Duration boot = Workload().boot;
  std::vector<JobsEntry> jobs;
};

const Section<TasksEntry>& TasksKeys() {
  using admission::Resources;
  static const Section<TasksEntry> keys = {
      {Row("instances", &TasksEntry::instances, WholeNumber(1, kMostInstances), "Equal tasks"),
       Row("memory", &TasksEntry::each, MemoryInMib(), "Memory of a task", "4GiB"),
       Row("vcores", &TasksEntry::each, AmountOf(WholeNumber(1, INT_MAX), &Resources::vcores), "vcores of a task"),
       Row("gpus", &TasksEntry::each, AmountOf(WholeNumber(0, INT_MAX), &Resources::gpus), "GPUs of a task")}};
  return keys;
}

const Section<JobsEntry>& JobsKeys() {
  static const Section<JobsEntry> keys = {
      {Row("name", &JobsEntry::name, NonEmptyText("name"), "Name of the jobs", "resnet"),
       Row("count", &JobsEntry::count, WholeNumber(1, kMostJobs), "Equal jobs"),
       Row("every", &JobsEntry::every, TimeSpan(Zero::kAllowed), "Time between two of them"),
       Row("at", &JobsEntry::at, TimeSpan(Zero::kAllowed), "Submission of the first"),
       Row("run", &JobsEntry::run, TimeSpan(Zero::kRefused), "Time for which all tasks run", "25m"),
       Row("tasks", &JobsEntry::tasks, ListOf(SectionType(&TasksKeys), "list of maps"), "Tasks of a job",
           "[{instances: 2, memory: 4GiB}]"),
       Row("moves", &JobsEntry::moves, TrueOrFalse(), "Whether tasks leave a node that drains")}};
  return keys;
}

const Section<FileContent>& FileKeys() {
  static const Section<FileContent> keys = {
      {Row("node", &FileContent::node, ShapeType(), "Size of a node", "{memory: 12GiB, vcores: 4}"),
       Row("boot", &FileContent::boot, TimeSpan(Zero::kAllowed), "Time until an ordered node has registered"),
       Row("jobs", &FileContent::jobs, ListOf(SectionType(&JobsKeys), "list of maps"), "Jobs",
           "[{name: resnet, run: 25m, tasks: [{instances: 2, memory: 4GiB}]}]")}};
  return keys;
}

int64_t CountJobs(const FileContent& content) {
  int64_t count = 0;
  for (const JobsEntry& entry : content.jobs) count += entry.count;
  return count;
}

void AddJobs(const JobsEntry& entry, std::vector<WorkJob>& jobs) {
  std::vector<admission::Tasks> tasks;
  for (const TasksEntry& some : entry.tasks) tasks.push_back({some.instances, some.each});
  for (int i = 0; i < entry.count; ++i) {
    const std::string number = entry.count > 1 ? "-" + std::to_string(i + 1) : "";
    jobs.push_back({.id = entry.name + number,
                    .at = entry.at + entry.every * i,
                    .run = entry.run,
                    .tasks = tasks,
                    .moves = entry.moves});
  }
}

}  // namespace

Contents<Workload> ParseWorkload(std::string_view text, const std::string& file) {
  const auto content =
      ReadFile<FileContent>(text, {.file_name = file}, FileKeys(), [](const FileContent& read, Reader& reader) {
        if (CountJobs(read) > kMostJobs) {
          reader.FailAt("jobs", "more than " + std::to_string(kMostJobs) + " jobs; write fewer");
        }
        for (size_t i = 0; i < read.jobs.size(); ++i) {
          if (read.jobs[i].tasks.empty()) reader.FailAt("jobs", "the job '" + read.jobs[i].name + "' has no tasks");
        }
      });
  Contents<Workload> workload;
  workload.problems = content.problems;
  workload.hints = content.hints;
  if (!content.problems.empty()) return workload;
  workload.value.node = content.value.node;
  workload.value.boot = content.value.boot;
  for (const JobsEntry& entry : content.value.jobs) AddJobs(entry, workload.value.jobs);
  std::ranges::stable_sort(workload.value.jobs, {}, &WorkJob::at);
  return workload;
}

}  // namespace howdah::autoscale::model
