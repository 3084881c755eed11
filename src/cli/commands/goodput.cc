#include "howdah/client/goodput.h"

#include <algorithm>
#include <array>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/goodput_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/configuration.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/time_zone.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

constexpr std::array<std::string_view, 8> kGroups = {"job",       "user", "queue", "name",
                                                     "framework", "tag",  "day",   "backend"};

struct GoodputArguments {
  std::string id, by, time_zone, prices;
  std::optional<Instant> since, until;
  bool csv = false, json = false;
};

client::GroupBy GroupOf(const std::string& by) {
  const auto at = std::find(kGroups.begin(), kGroups.end(), by);
  return at == kGroups.end() ? client::GroupBy::kJob : static_cast<client::GroupBy>(at - kGroups.begin());
}

Result<std::optional<jobspec::Prices>> PricesOf(const GoodputArguments& arguments) {
  if (!arguments.prices.empty()) {
    HOWDAH_TRY(jobspec::Prices prices, client::ReadPriceFile(arguments.prices));
    return std::optional<jobspec::Prices>(std::move(prices));
  }
  HOWDAH_TRY(const client::UserConfiguration configuration, client::ReadUserConfiguration());
  return configuration.settings.prices;
}

Result<client::GoodputReport> Read(client::Connection& connection, const GoodputArguments& arguments,
                                   const client::GoodputOptions& options) {
  if (arguments.id.empty()) return client::ReadGoodput(connection, options, output::PrintNote);
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const client::CountedJob counted, client::ReadJobForGoodput(job, options, output::PrintNote));
  client::GoodputReport report(options.by);
  report.Add(counted);
  return report;
}

Result<int> Goodput(client::Connection& connection, const GoodputArguments& arguments) {
  if (arguments.csv && arguments.json) {
    return Error{ErrorCode::kUsage, "goodput: --csv and --json exclude each other; give one of them"};
  }
  if (!arguments.id.empty() && (arguments.since || arguments.until)) {
    return Error{ErrorCode::kUsage, "goodput: --since and --until select jobs; leave them out with an ID"};
  }
  HOWDAH_TRY(const auto prices, PricesOf(arguments));
  client::GoodputOptions options;
  options.by = GroupOf(arguments.by);
  options.window = {arguments.since, arguments.until};
  options.now = os::process::Clock().Now();
  if (!arguments.time_zone.empty()) {
    HOWDAH_TRY(auto utc_offset, client::TimeZone(arguments.time_zone));
    options.days = journal::Days(std::move(utc_offset));
  }
  HOWDAH_TRY(const client::GoodputReport report, Read(connection, arguments, options));
  const output::GoodputView view{report, prices};
  const bool one_job = !arguments.id.empty() && options.by == client::GroupBy::kJob;
  output::Print(arguments.json  ? client::GoodputJson(view)
                : arguments.csv ? client::GoodputCsv(view)
                : one_job       ? output::GoodputOfJob(view)
                                : output::GoodputTable(view));
  return client::kExitOk;
}

}  // namespace

args::Command GoodputCommand(client::Connection& connection) {
  return {"goodput", "Show where the time and the hardware of jobs went",
          "  howdah goodput last\n  howdah goodput --by user --since 7d\n"
          "  howdah goodput --by day --time-zone Europe/Berlin --prices prices.yaml --csv > goodput.csv",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<GoodputArguments>();
            const Instant now = os::process::Clock().Now();
            syntax.Id(arguments->id, args::Presence::kOptional);
            syntax.Choice("--by", "GROUP", arguments->by, args::Presence::kOptional, {kGroups.begin(), kGroups.end()},
                          "Add up the jobs: by job (default), user, queue, name, framework, tag, day or backend");
            syntax.Time("--since", arguments->since, now, "Count only the time at or after this time");
            syntax.Time("--until", arguments->until, now, "Count only the time before this time");
            syntax.Text("--time-zone", "ZONE", arguments->time_zone, "Time zone of the days; default: UTC");
            syntax.Text("--prices", "FILE", arguments->prices,
                        "Prices in YAML; default: the key `prices` of the configuration file");
            syntax.Flag("--csv", arguments->csv, "Print one line per group, separated by commas");
            syntax.Json(arguments->json, "Print one JSON object");
            return [&connection, arguments] { return Goodput(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
