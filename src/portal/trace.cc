#include "trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "howdah/base/ids.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

constexpr int kJobProcess = 1;

// Collects events. `begin` is the time 0.
class Trace {
 public:
  explicit Trace(Instant begin) : begin_(begin) {}

  void NameProcess(int process, const std::string& name) {
    Add({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"tid", 0}, {"args", {{"name", name}}}});
    Add({{"ph", "M"},
         {"name", "process_sort_index"},
         {"pid", process},
         {"tid", 0},
         {"args", {{"sort_index", process}}}});
  }
  void NameThread(int process, int thread, const std::string& name) {
    Add({{"ph", "M"}, {"name", "thread_name"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
  }
  void Span(int process, int thread, std::string_view name, Instant from, Instant to, Json arguments) {
    Add({{"ph", "X"},
         {"name", name},
         {"pid", process},
         {"tid", thread},
         {"ts", Micros(from)},
         {"dur", std::max<int64_t>(0, Micros(to) - Micros(from))},
         {"args", std::move(arguments)}});
  }
  // scope: "g" for the whole trace, "t" for a thread.
  void Moment(int process, int thread, std::string_view name, Instant at, const char* scope, Json arguments) {
    Add({{"ph", "i"},
         {"name", name},
         {"pid", process},
         {"tid", thread},
         {"ts", Micros(at)},
         {"s", scope},
         {"args", std::move(arguments)}});
  }
  std::string Text(const Json& about) const {
    return "{\"displayTimeUnit\":\"ms\",\"otherData\":" + Dump(about) + ",\"traceEvents\":[" + events_ + "]}";
  }

 private:
  int64_t Micros(Instant at) const {
    return std::chrono::duration_cast<std::chrono::microseconds>(at - begin_).count();
  }
  void Add(const Json& event) { events_ += (events_.empty() ? "" : ",\n ") + Dump(event); }

  Instant begin_;
  std::string events_;
};

Instant BeginOf(const AttemptLog& log, const std::vector<Attempt>& attempts, const journal::Stretches& stretches,
                Instant now) {
  Instant begin = log.job().submitted.value_or(now);
  for (const journal::Stretch& stretch : stretches) begin = std::min(begin, stretch.from);
  for (const Mark& mark : log.marks()) begin = std::min(begin, mark.at);
  for (const Attempt& attempt : attempts) {
    for (const Span& span : attempt.spans) begin = std::min(begin, span.from);
  }
  return begin;
}

}  // namespace

std::string TraceJson(const AttemptLog& log, const journal::Stretches& stretches, Instant now) {
  const journal::JobView& job = log.job();
  const std::vector<Attempt> attempts = log.Attempts();
  const Instant begin = BeginOf(log, attempts, stretches, now);
  Trace trace(begin);
  trace.NameProcess(kJobProcess, "job " + (job.name.empty() ? job.id : job.name));
  trace.NameThread(kJobProcess, 0, "time breakdown");
  for (const journal::Stretch& stretch : stretches)
    trace.Span(kJobProcess, 0, journal::ToText(stretch.what), stretch.from, stretch.to, Json::object());
  std::map<std::string, int> processes;                // by role
  std::map<std::string, std::pair<int, int>> threads;  // by task: its process and thread
  for (const Attempt& attempt : attempts) {
    const auto [role, is_new_role] =
        processes.emplace(attempt.role, kJobProcess + 1 + static_cast<int>(processes.size()));
    if (is_new_role) trace.NameProcess(role->second, attempt.role);
    const std::string name = TaskText(attempt.role, attempt.index);
    const auto [task, is_new_task] = threads.emplace(name, std::pair(role->second, attempt.index));
    if (is_new_task) trace.NameThread(role->second, attempt.index, name);
    for (const Span& span : attempt.spans) {
      trace.Span(role->second, attempt.index, core::ToText(span.state), span.from, span.to.value_or(now),
                 {{"attempt", attempt.attempt},
                  {"generation", attempt.generation},
                  {"node", attempt.node},
                  {"container", attempt.container},
                  {"ranks", attempt.ranks},
                  {"reason", attempt.reason}});
    }
  }
  for (const Mark& mark : log.marks()) {
    const auto task = threads.find(mark.task);
    const bool of_task = task != threads.end();
    const auto [process, thread] = of_task ? task->second : std::pair(kJobProcess, 0);
    trace.Moment(process, thread, mark.kind, mark.at, of_task ? "t" : "g", {{"task", mark.task}, {"text", mark.text}});
  }
  return trace.Text({{"job", job.id}, {"name", job.name}, {"begin", FormatInstant(begin)}});
}

}  // namespace howdah::portal
