#include <unistd.h>

#include <algorithm>
#include <memory>

#include "howdah/advice/advice.h"
#include "howdah/base/text.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/adviser.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

using advice::Finding;

constexpr size_t kShown = 5;  // the number of findings that are printed without --all

struct AdviseArguments {
  std::string id, check;
  bool json = false, all = false, checks = false;
  client::AdviceFilter filter;
};

struct FindingOfJob {
  const journal::JobView* job = nullptr;  // null if there is only one job
  const Finding* finding = nullptr;
};

std::string JsonOf(const FindingOfJob& item) {
  const std::string finding = advice::ToJson(*item.finding);
  if (item.job == nullptr) return finding;
  return "{\"job\":" + journal::ToJson(*item.job, false) + "," + finding.substr(1);
}

void PrintFindings(const std::vector<FindingOfJob>& findings, const AdviseArguments& arguments) {
  if (arguments.json) {
    std::string text = "[";
    for (const FindingOfJob& item : findings) text += (text.size() == 1 ? "" : ",\n ") + JsonOf(item);
    output::Print(text + "]\n");
    return;
  }
  if (findings.empty()) {
    output::Print("no advice\n");
    return;
  }
  const size_t shown = arguments.all ? findings.size() : std::min(findings.size(), kShown);
  for (size_t i = 0; i < shown; ++i) {
    const journal::JobView* const job = findings[i].job;
    std::string text = i == 0 ? "" : "\n";
    if (job != nullptr) text += Shown(job->id + "  " + job->name + "  " + job->user) + "\n";
    output::Print(text + advice::Describe(*findings[i].finding) + "\n");
  }
  if (shown < findings.size())
    output::PrintMessage(std::to_string(findings.size() - shown) + " more; --all shows them");
}

Result<int> AdviseOne(client::Connection& connection, const AdviseArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  client::Adviser adviser(*job.cluster, output::PrintNote);
  HOWDAH_TRY(const auto findings, adviser.Advise(job.id, os::process::Clock().Now()));
  std::vector<FindingOfJob> items;
  for (const Finding& finding : findings) items.push_back({nullptr, &finding});
  PrintFindings(items, arguments);
  return client::kExitOk;
}

Result<int> AdviseMany(client::Connection& connection, const AdviseArguments& arguments) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  client::Adviser adviser(*cluster, output::PrintNote);
  HOWDAH_TRY(const auto jobs, adviser.AdviseAll(arguments.filter, os::process::Clock().Now()));
  std::vector<FindingOfJob> items;
  for (const auto& job : jobs) {
    for (const Finding& finding : job.findings) {
      if (arguments.check.empty() || jobspec::ToText(finding.check) == arguments.check)
        items.push_back({&job.view, &finding});
    }
  }
  std::stable_sort(items.begin(), items.end(), [](const FindingOfJob& a, const FindingOfJob& b) {
    return advice::SavesMore(*a.finding, *b.finding);
  });
  PrintFindings(items, arguments);
  return client::kExitOk;
}

Result<int> Advise(client::Connection& connection, const AdviseArguments& arguments) {
  if (arguments.checks) {
    output::Print(advice::ReferencePage());
    return client::kExitOk;
  }
  const bool has_filter = arguments.filter.since || !arguments.filter.user.empty() || !arguments.check.empty();
  if (!arguments.id.empty() && has_filter)
    return Error{ErrorCode::kUsage, "advise: --since, --user and --check select jobs; they cannot be used with an ID"};
  if (arguments.id.empty() && !arguments.filter.since)
    return Error{ErrorCode::kUsage,
                 "advise: needs the ID of a job, or --since; write for example `howdah advise last`"};
  return arguments.id.empty() ? AdviseMany(connection, arguments) : AdviseOne(connection, arguments);
}

std::vector<std::string> CheckNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i < jobspec::kAdviceCheckCount; ++i)
    names.emplace_back(jobspec::ToText(static_cast<jobspec::AdviceCheck>(i)));
  return names;
}

}  // namespace

args::Command AdviseCommand(client::Connection& connection) {
  return {"advise", "Show what to change in a job, and what that would save",
          "  howdah advise last\n  howdah advise --since 7d --check memory-over",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<AdviseArguments>();
            syntax.Id(arguments->id, args::Presence::kOptional);
            syntax.Json(arguments->json, "Print one JSON array");
            syntax.Flag("--all", arguments->all, "Show all findings; default: the five with the largest savings");
            syntax.Time("--since", arguments->filter.since, os::process::Clock().Now(),
                        "Advise on all jobs that ended at or after this time, or are still running");
            syntax.Text("--user", "NAME", arguments->filter.user, "With --since: only jobs of this user");
            syntax.Choice("--check", "CHECK", arguments->check, args::Presence::kOptional, CheckNames(),
                          "With --since: only findings of this check");
            syntax.Flag("--checks", arguments->checks, "Print the reference page of all checks instead");
            return [&connection, arguments] { return Advise(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
