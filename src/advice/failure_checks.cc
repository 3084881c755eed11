// Checks of failures, their cost, and of conditions under which tasks fail.
#include <algorithm>
#include <cmath>
#include <csignal>

#include "checks.h"
#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"

namespace howdah::advice {
namespace {

using journal::Spent;

constexpr Duration kHour = std::chrono::hours(1);

Duration SpentOn(const Figures& figures, Spent what) {
  return figures.facts().job.time_breakdown.Of(what, figures.now());
}

// Puts the text in double quotes for YAML.
std::string YamlQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// Returns a regular expression that matches the text. A number in the text matches any number, because numbers change
// between failures.
std::string PatternOf(std::string_view text) {
  std::string pattern;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) pattern += "[0-9]+";
    in_number = digit;
    if (digit) continue;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '_' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Returns the cause from the failure's reason: the text after the attempt.
std::string CauseOf(const Trail::Failure& failure) {
  const size_t attempt = failure.reason.find(", attempt ");
  const size_t colon = attempt == std::string::npos ? attempt : failure.reason.find(": ", attempt);
  return colon == std::string::npos ? "" : failure.reason.substr(colon + 2);
}

// Returns a restart rule that ends the job at the first failure of this kind.
std::string RuleFor(const Trail::Failure& failure) {
  if (failure.exit && failure.exit->signal) return "[{signal: " + SignalName(*failure.exit->signal) + ", then: fail}]";
  if (failure.exit && failure.exit->code) return "[{exit: " + std::to_string(*failure.exit->code) + ", then: fail}]";
  return "";
}

// Returns a restart rule that matches the message of the failure, or "" if the failure has no exception. Only the
// message of an exception is certain to be in the program's output.
std::string LogRuleFor(const Trail::Failure& failure) {
  std::string cause = CauseOf(failure);
  const size_t place = cause.rfind(" (");  // "ValueError: bad (train.py line 3)"
  if (place != std::string::npos) cause.resize(place);
  const size_t colon = cause.find("Error: ");
  if (colon == std::string::npos || cause.find('|') != std::string::npos || cause.find(';') != std::string::npos)
    return "";
  return "[{log: " + YamlQuoted(PatternOf(Shorten(cause, 100))) + ", then: fail}]";
}

struct LogFigures {
  std::string task;
  double bytes = 0, per_minute = 0;
};

LogFigures LogOf(const Figures& figures, const RoleFigures& role, const journal::TaskView& task, const char* series) {
  LogFigures log{.task = NameOf(task)};
  std::vector<std::optional<int>> ranks = {std::nullopt};
  for (int rank = 0; rank < role.spec->processes; ++rank) ranks.emplace_back(rank);
  for (const auto& rank : ranks) {
    const auto curve = figures.Series(task, series, rank);
    if (!curve) continue;
    const double minutes = std::max(
        std::chrono::duration<double>(curve->values.back().at - curve->values.front().at + curve->width).count() / 60,
        1.0 / 60);
    log.bytes += curve->Max();
    log.per_minute += std::max(0.0, curve->Max() - curve->values.front().mean) / minutes;
  }
  return log;
}

}  // namespace

// The work that restarts have repeated for lack of a checkpoint.
Amounts RepeatedWork(const Figures& figures) {
  const journal::JobView& job = figures.facts().job;
  const auto& restarts = job.time_breakdown.newest_restarts();
  if (!restarts.empty() && job.started)
    return figures.ShareOfHeld(Hours(restarts.back().at - *job.started) / std::max(Hours(figures.ran()), 1e-9));
  Amounts work;
  for (const RoleFigures& role : figures.roles()) {
    const double hours = Hours(figures.facts().trail.RepeatedTime(role.spec->name));
    work.gpu_hours += hours * role.spec->gpus;
    work.memory_gib_hours += hours * static_cast<double>(role.granted_bytes) / kGiB;
    work.vcore_hours += hours * role.spec->vcores;
    work.hours += hours;
  }
  return work;
}

Findings CheckpointNone(const Figures& figures) {
  const journal::JobView& job = figures.facts().job;
  const int restarts = job.time_breakdown.restarts() + job.time_breakdown.task_restarts();
  if (figures.facts().trail.newest_checkpoint_at() || (figures.ran() <= kHour && restarts == 0)) return {};
  Finding finding{.severity = restarts > 0 ? Severity::kSevere : Severity::kLow};
  finding.text = restarts > 0 ? "the job restarted " + CountOf(restarts, "time") +
                                    " and reported no checkpoint, so each restart "
                                    "repeats the work from the beginning"
                              : "the job ran for " + FormatDuration(figures.ran()) +
                                    " and reported no checkpoint: a failure loses "
                                    "all of it";
  if (!job.time_breakdown.newest_restarts().empty())
    finding.evidence.push_back("newest restart: " + OneLine(job.time_breakdown.newest_restarts().back().cause, 300));
  if (figures.facts().spec.checkpoint.dir.empty()) {
    const bool local = job.on == "local";
    finding.change.keys = {
        {"checkpoint.dir", local ? "./checkpoints" : "hdfs:///user/" + job.user + "/checkpoints/" + job.name}};
  }
  if (restarts > 0) finding.saving = RepeatedWork(figures);
  finding.change.other =
      "save checkpoints in $HOWDAH_CHECKPOINT_DIR, and append `checkpointing` before and `checkpoint STEP` after each "
      "to "
      "the file $HOWDAH_PROGRESS, and `step STEP` after each step";
  return {std::move(finding)};
}

Findings CheckpointInterval(const Figures& figures) {
  constexpr double kFar = 2, kSmallestUseful = 0.01;
  constexpr int kFewestInterruptions = 3;
  const auto cost = figures.facts().trail.CheckpointCost();
  const auto interval = figures.facts().trail.CheckpointInterval();
  if (!cost || !interval || *cost <= Duration::zero() || *interval <= Duration::zero()) return {};
  int interruptions = figures.own().interruptions;
  double hours = Hours(figures.ran());
  const Instant month = figures.now() - std::chrono::hours(24 * 30);
  for (const RunFacts& run : figures.facts().earlier) {
    if (run.submitted < month) continue;
    interruptions += run.interruptions;
    hours += Hours(run.ran);
  }
  if (interruptions < kFewestInterruptions) return {};
  const double between = hours / interruptions;
  const double best = std::sqrt(2 * Hours(*cost) * between), now = Hours(*interval);
  if (now <= kFar * best && best <= kFar * now) return {};
  const auto time = [](double h) { return FormatDuration(Duration(static_cast<int64_t>(h * 3.6e9))); };
  Finding finding{.severity = Severity::kModerate};
  finding.text = "a checkpoint every " + time(now) + " is too " + (now > best ? "rare" : "frequent") +
                 ": with one interruption in " + time(between) + ", and " + FormatDuration(*cost) +
                 " for a checkpoint, every " + time(best) + " costs least";
  finding.evidence = {CountOf(interruptions, "failure or preemption", "failures and preemptions") + " in " +
                      time(hours) + " of running in the last 30 days"};
  const auto rates = figures.facts().trail.StepRates();
  double rate = 0;
  for (const auto& [role, all] : rates) {
    for (const double steps : all) rate = std::max(rate, steps);
  }
  // The time of a checkpoint is part of the interval, but no step is made in it.
  const double steps = rate * 3600 * now * std::max(0.0, best - Hours(*cost)) / std::max(now - Hours(*cost), 1e-9);
  finding.change.other =
      "save a checkpoint every " + time(best) +
      (rate > 0 ? ", which is every " + std::to_string(std::max<int64_t>(1, std::llround(steps))) + " steps" : "");
  // The share of the time that is left for work that is not repeated.
  const auto useful = [&](double every) {
    return std::clamp(1 - Hours(*cost) / every - every / 2 / between, kSmallestUseful, 1.0);
  };
  finding.saving = figures.ShareOfHeld(1 - useful(now) / useful(best));
  return {std::move(finding)};
}

Findings Restarts(const Figures& figures) {
  constexpr int kMany = 3;
  const journal::TimeBreakdown& breakdown = figures.facts().job.time_breakdown;
  Findings findings;
  for (const Trail::Repeated& repeated : figures.facts().trail.RepeatedFailures()) {
    if (repeated.restarts < kMany) continue;
    const Trail::Failure& failure = repeated.newest;
    const RoleFigures* const role = figures.Find(failure.role);
    Finding finding{.severity = Severity::kSevere, .role = failure.role, .task = TaskText(failure.role, failure.index)};
    finding.text = failure.role + " restarted " + CountOf(repeated.restarts, "time") +
                   " for the same reason: " + OneLine(failure.reason, 300);
    std::string rule = LogRuleFor(failure);
    if (rule.empty()) rule = RuleFor(failure);
    if (role != nullptr && role->spec->restart.rules.empty() && !rule.empty())
      finding.change.keys = {{RoleKey(*role, "restart.max"), std::to_string(role->spec->restart.max)},
                             {RoleKey(*role, "restart.rules"), rule}};
    finding.change.other = "remove the cause: a restart does not help against it";
    finding.saving = {.hours = Hours(SpentOn(figures, Spent::kRecovering) + SpentOn(figures, Spent::kLost))};
    findings.push_back(std::move(finding));
  }
  if (!findings.empty()) return findings;
  const Duration up = SpentOn(figures, Spent::kRunning), recovering = SpentOn(figures, Spent::kRecovering);
  if (breakdown.restarts() < kMany || up >= 5 * recovering) return {};
  Finding finding{.severity = Severity::kSevere};
  finding.text = "the job ran for " + FormatDuration(up) + " and recovered for " + FormatDuration(recovering) +
                 " after " + CountOf(breakdown.restarts(), "restart");
  if (!breakdown.newest_restarts().empty())
    finding.evidence = {"newest restart: " + OneLine(breakdown.newest_restarts().back().cause, 300)};
  finding.change.other = "remove the cause of the restarts, or save checkpoints more often and start faster";
  finding.saving = {.hours = Hours(recovering)};
  return {std::move(finding)};
}

Findings Lost(const Figures& figures) {
  constexpr double kShare = 0.05;
  const Duration lost = SpentOn(figures, Spent::kLost);
  const double share = Hours(lost) / std::max(Hours(figures.wall()), 1e-9);
  if (lost <= Duration::zero() || share <= kShare) return {};
  Finding finding{.severity = share > 0.2 ? Severity::kSevere : Severity::kModerate};
  finding.text = "the work of " + FormatDuration(lost) + ", " + Percent(share) +
                 " of the job's time, was lost because it was after the last checkpoint";
  const auto& restarts = figures.facts().job.time_breakdown.newest_restarts();
  for (size_t i = restarts.size(); i > 0 && finding.evidence.size() < 3; --i) {
    finding.evidence.push_back(FormatDuration(restarts[i - 1].lost) + " lost: " + OneLine(restarts[i - 1].cause, 300));
  }
  finding.change.other = "save checkpoints more often, and when a task gets `checkpoint.signal`";
  const bool knows_lost = figures.facts().ledger.knows_buckets();
  finding.saving = knows_lost ? figures.Held(journal::Bucket::kLost) : figures.ShareOfHeld(share);
  finding.saving.hours = Hours(lost);
  return {std::move(finding)};
}

Findings Shm(const Figures& figures) {
  constexpr double kFull = 0.9, kHalf = 0.5;
  const auto& failures = figures.facts().trail.failures();
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    for (const journal::TaskView* task : role.tasks) {
      const auto used = figures.AnySeries(*task, "shm_bytes");
      if (!used || !used->capacity || *used->capacity <= 0) continue;
      const double share = used->Max() / *used->capacity;
      const bool bus_error = std::any_of(failures.begin(), failures.end(), [&](const Trail::Failure& failure) {
        return failure.role == role.spec->name && failure.index == task->index && failure.exit &&
               (failure.exit->signal == SIGBUS || failure.exit->code == 128 + SIGBUS);
      });
      if (share < kFull && !(bus_error && share >= kHalf)) continue;
      Finding finding{.severity = bus_error ? Severity::kCritical : Severity::kSevere,
                      .role = role.spec->name,
                      .task = NameOf(*task)};
      finding.text = finding.task + ": /dev/shm was " + Percent(share) + " full" +
                     (bus_error ? ", and a process was killed by SIGBUS, which happens when it is full" : "");
      finding.evidence = {FormatBytes(static_cast<int64_t>(used->Max())) + " of " +
                          FormatBytes(static_cast<int64_t>(*used->capacity)) + " used"};
      if (figures.facts().spec.docker) {
        finding.change.keys = {{"docker.tmpfs", "[/dev/shm]"}};
      }
      finding.change.other = "fewer data loader workers, or smaller batches: they pass their data through /dev/shm";
      findings.push_back(std::move(finding));
      break;
    }
  }
  return findings;
}

Findings LogFlood(const Figures& figures) {
  constexpr double kPerMinute = 100.0 * kMiB, kMuch = 10 * kGiB;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    LogFigures worst;
    const char* stream = "";
    for (const journal::TaskView* task : role.tasks) {
      for (const char* series : {"stdout_bytes", "stderr_bytes"}) {
        LogFigures log = LogOf(figures, role, *task, series);
        if (log.bytes <= worst.bytes) continue;
        worst = std::move(log);
        stream = series[3] == 'o' ? "stdout" : "stderr";
      }
    }
    if (worst.bytes <= kMuch && worst.per_minute <= kPerMinute) continue;
    Finding finding{.severity = Severity::kLow, .role = role.spec->name, .task = worst.task};
    finding.text = worst.task + " wrote " + FormatBytes(static_cast<int64_t>(worst.bytes)) + " to its " + stream +
                   ", " + FormatBytes(static_cast<int64_t>(worst.per_minute)) + "/min";
    finding.change.other = "write less output; `howdah logs " + worst.task +
                           " --tail 1000 | sort | uniq -c | sort -rn` shows the most frequent lines";
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Node(const Figures& figures) {
  Findings findings;
  for (const auto& [node, avoided] : figures.facts().trail.avoided_nodes()) {
    Finding finding{.severity = Severity::kSevere};
    finding.text = avoided.reason;
    int failed = 0;
    std::string newest;
    for (const Trail::Failure& failure : figures.facts().trail.failures()) {
      if (failure.node != node) continue;
      ++failed;
      newest = failure.reason;
    }
    if (failed > 0) {
      finding.evidence = {CountOf(failed, "failure") + " of this job there, the newest: " + OneLine(newest, 300)};
    }
    finding.change.other = "for administrators: check the node";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace howdah::advice
