#include "reason.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/core/progress.h"

namespace howdah::core {
namespace {

constexpr size_t kNamesShown = 3;

std::string HeldOf(int held, int wanted) {
  return std::to_string(held) + " of " + std::to_string(wanted) + " containers";
}

std::string HowItEnded(const Failure& failure) {
  if (failure.exit.signal) return " " + DescribeEnd(failure.exit);
  if (failure.exit.code) return " failed with " + ToText(failure.exit);
  return " ended without an exit status";
}

std::string Where(const Failure& failure) { return failure.node.empty() ? "" : " on " + failure.node; }

std::string LimitText(const policy::WaitLimit& wait) {
  return DurationToText(wait.limit.value_or(Duration::max())) + " (" + std::string(wait.key) + ")";
}

std::string Clause(std::string_view text) {
  const std::string line = OneLine(text, kLongestClause);
  return line.empty() ? "" : ": " + line;
}

std::string Ruling(const Failure& failure) { return failure.ruled_by.empty() ? "" : "; " + failure.ruled_by; }

std::string Cost(const Failure& failure) { return failure.not_charged ? "; no restart is charged" : ""; }

}  // namespace

std::string Names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamesShown) text += " and " + std::to_string(names.size() - kNamesShown) + " more";
  return text;
}

std::string FailureText(std::string_view task, const Failure& failure) {
  std::string text(task);
  switch (failure.kind) {
    case Cause::Kind::kExit:
    case Cause::Kind::kNoStatus:
      text += HowItEnded(failure) + Where(failure);
      if (failure.ran) text += " after " + FormatDuration(*failure.ran);
      return text + ", attempt " + std::to_string(failure.attempt) + Clause(failure.diagnosis.cause) + Ruling(failure);
    case Cause::Kind::kNotStarted:
      text += " could not be started" + Where(failure);
      if (failure.exit.code) text += " (" + ToText(failure.exit) + ")";
      return text + Clause(failure.diagnosis.cause) + Ruling(failure);
    case Cause::Kind::kLost:
      text += " was lost" + Where(failure);
      if (failure.ran) text += " after " + FormatDuration(*failure.ran);
      return text + ", attempt " + std::to_string(failure.attempt) + Clause(failure.what) + Cost(failure);
    case Cause::Kind::kTaskTimeout:
      text += " ran longer than its `timeout` of " + failure.what + Where(failure);
      return text + ", attempt " + std::to_string(failure.attempt);
    case Cause::Kind::kReclaimed:
      text += " had to stop" + Where(failure);
      if (failure.ran) text += " after " + FormatDuration(*failure.ran);
      return text + ", attempt " + std::to_string(failure.attempt) + Clause(failure.what) + Cost(failure);
    case Cause::Kind::kOutdated:
      text += " was stopped for a restart" + Where(failure);
      return text + ", attempt " + std::to_string(failure.attempt) + Clause(failure.what);
    case Cause::Kind::kHung:
      text += " made no progress" + Where(failure);
      return text + ", attempt " + std::to_string(failure.attempt) + Clause(failure.what);
    case Cause::Kind::kNotReady:
      return text + " did not become ready" + Where(failure) + Clause(failure.what);
    default:  // the other kinds are not failures of a task
      return text;
  }
}

Reason FailureReason(const std::string& role, int index, const Failure& failure) {
  return {FailureText(TaskText(role, index), failure),
          Cause{.kind = failure.kind, .role = role, .index = index, .attempt = failure.attempt}};
}

std::string RuledByText(const jobspec::RoleSpec& role, int rule) {
  constexpr size_t kLongestPattern = 80;
  const jobspec::RestartRule& ruling = role.restart.rules[static_cast<size_t>(rule)];
  std::string fits;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) fits += (fits.empty() ? "" : ", ") + std::string(key) + ": " + value;
  };
  add("log", OneLine(ruling.log, kLongestPattern));
  add("exit", ruling.exit ? std::to_string(*ruling.exit) : "");
  add("signal", ruling.signal);
  return "roles." + role.name + ".restart.rules[" + std::to_string(rule) + "] (" + fits + ") says " +
         std::string(jobspec::ToText(ruling.then));
}

bool SameFailure(const Failure& a, const Failure& b) {
  const auto without_numbers = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  return a.kind == b.kind && a.exit == b.exit &&
         without_numbers(a.diagnosis.cause) == without_numbers(b.diagnosis.cause) &&
         without_numbers(a.what) == without_numbers(b.what);
}

std::string WithOthers(std::string first, int because, int too) {
  const auto add = [&](int others, const char* how) {
    if (others > 0) first += "; " + std::to_string(others) + (others == 1 ? " other" : " others") + " failed" + how;
  };
  add(because, " because of it");
  add(too, ", too");
  return first;
}

std::string KilledText(std::string_view by, std::optional<Duration> ran, Duration since_submitted) {
  const std::string who = OneLine(by, kLongestClause);
  std::string text = who.empty() ? "killed" : "killed by " + who;
  if (ran) return text + " after " + FormatDuration(*ran);
  return text + " before any task ran, " + FormatDuration(since_submitted) + " after it was submitted";
}

std::string HungText(Duration ago, std::string_view activity, const std::optional<TaskProgress>& progress,
                     std::string_view stack) {
  std::string text = "its last activity was " + OneLine(activity, kLongestClause) + " " + FormatDuration(ago) + " ago";
  if (const std::string come = progress ? ToText(*progress) : ""; !come.empty()) text += ", at " + come;
  if (!stack.empty()) text += "; it is at " + OneLine(stack, kLongestClause);
  return text;
}

std::string StackText(const std::vector<std::string>& tasks, std::string_view stack) {
  return Names(tasks) + (tasks.size() == 1 ? " is at " : " are at ") + std::string(stack);
}

std::string WithOtherStacks(std::string text, std::string_view stack, std::vector<TasksAtStack> others) {
  constexpr size_t kPlacesShown = 3;
  std::stable_sort(others.begin(), others.end(), [&](const TasksAtStack& a, const TasksAtStack& b) {
    return std::pair(a.stack != stack, a.tasks.size()) < std::pair(b.stack != stack, b.tasks.size());
  });
  size_t left = 0;
  for (size_t i = 0; i < others.size(); ++i) {
    const TasksAtStack& at = others[i];
    if (i >= kPlacesShown) {
      left += at.tasks.size();
    } else if (at.stack == stack) {
      text += "; " + Names(at.tasks) + (at.tasks.size() == 1 ? " is" : " are") + " there too";
    } else {
      text += "; " + StackText(at.tasks, at.stack);
    }
  }
  return left == 0 ? text : text + "; " + std::to_string(left) + " more at other locations";
}

std::string TimeLimitText(Duration limit, Duration ran, const std::optional<ReportedCheckpoint>& newest,
                          std::string_view checkpoint_dir, const std::string& unfinished) {
  std::string text = "the time limit of " + DurationToText(limit) + " (timeouts.run) was reached after " +
                     FormatDuration(ran) + " of running";
  if (newest) {
    text += "; the last checkpoint was of step " + std::to_string(newest->step) + " (" + newest->task + "), " +
            FormatDuration(newest->ago) + " before";
  }
  if (!checkpoint_dir.empty()) text += "; checkpoints are in " + OneLine(checkpoint_dir, kLongestClause);
  return unfinished.empty() ? text : text + "; " + unfinished;
}

std::string UnfinishedRoleText(const std::vector<std::string>& ended_roles, const std::vector<std::string>& tasks) {
  const auto has = [](const std::vector<std::string>& names) { return names.size() == 1 ? " has" : " have"; };
  return Names(ended_roles) + has(ended_roles) + " ended, " + Names(tasks) + has(tasks) +
         " not; a role that is to stop with the others needs `kind: service`";
}

std::string UnreadyText(const std::string& waiting_role, const std::string& task, const jobspec::Ready& probe,
                        Instant since) {
  return "role " + waiting_role + " waits until " + task + " is ready; it has run since " + FormatInstant(since) +
         " without success of its probe: " + (probe.http.empty() ? "port " + probe.port : probe.http);
}

std::string GangTimeoutText(const policy::WaitLimit& wait, const Shortfall& shortfall) {
  std::string text = "gang allocation timed out after " + LimitText(wait) + ": " + std::to_string(shortfall.ready) +
                     " of " + std::to_string(shortfall.wanted) + " tasks ready";
  if (shortfall.held > 0) text += ", " + HeldOf(shortfall.held, shortfall.wanted) + " granted";
  if (!shortfall.without_container.empty()) {
    text += ", " + std::to_string(shortfall.without_container.size()) + " without a container (" +
            Names(shortfall.without_container) + ")";
  }
  if (!shortfall.unconnected.empty()) {
    text +=
        ", " + std::to_string(shortfall.unconnected.size()) + " not connected (" + Names(shortfall.unconnected) + ")";
  }
  const std::string& backend = shortfall.backend;  // already a single line
  return backend.empty() ? text : text + "; " + backend;
}

std::string OutlivedText(const jobspec::RoleSpec& role, int running) {
  const std::string by = DurationToText(role.outlive->by);
  return std::to_string(running) + (running == 1 ? " task of " : " tasks of ") + role.name + " still ran " + by +
         " after all tasks of " + Names(role.outlive->roles) + " had ended (outlive)";
}

std::string GoesOnWithoutText(bool preempted, Duration limit, int others) {
  std::string why = "no replacement container was granted within " + DurationToText(limit) + " (timeouts.replacement)";
  if (limit == Duration::zero()) why = "no replacement container was available at once";
  if (preempted) why = "its container was preempted";
  return why + "; the job continues with the other " + std::to_string(others) + " of its role";
}

std::string NotReplacedText(const policy::WaitLimit& wait, std::string_view backend) {
  std::string text = "no replacement container was granted within " + LimitText(wait);
  if (!backend.empty()) text += "; " + std::string(backend);
  return text;
}

std::string HoldingText(int held, int wanted, Duration held_for, Duration left) {
  return HeldOf(held, wanted) + " are held, no more were granted for " + FormatDuration(held_for) +
         "; they are released in " + FormatDuration(left) + " unless more are granted";
}

std::string ReleasedText(int held, int wanted, Duration held_for, Duration again_in) {
  return HeldOf(held, wanted) + " were held and no more were granted for " + FormatDuration(held_for) +
         "; they were released to avoid a deadlock with another job and are requested again in " +
         FormatDuration(again_in);
}

std::string SlowText(std::string_view task, int rank, std::string_view node, double times, double own) {
  char figures[100];
  std::snprintf(figures, sizeof figures,
                " is slow: its steps take %.1f times as long as those of the others (%.3g steps per second)", times,
                own);
  return std::string(task) + " (rank " + std::to_string(rank) + ")" + (node.empty() ? "" : " on " + std::string(node)) +
         figures;
}

}  // namespace howdah::core
