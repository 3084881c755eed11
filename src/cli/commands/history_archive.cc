#include "history_archive.h"

#include <nlohmann/json.hpp>

#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/time_zone.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/history/keep.h"

namespace howdah::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

// The default retention of TonY's portal.
constexpr Duration kRetention = std::chrono::days(30);

std::string ZoneName(const ArchiveOptions& options, const client::TonySettings& site) {
  if (!options.time_zone.empty()) return options.time_zone;
  const std::string named = compat::tony::history::ValueOf(site, "tony.history.finished-dir-timezone");
  return named.empty() ? "UTC" : named;
}

Result<Duration> Retention(const ArchiveOptions& options, const client::TonySettings& site) {
  if (options.older_than) return *options.older_than;
  const std::string text = compat::tony::history::ValueOf(site, "tony.history.retention-sec");
  if (text.empty()) return kRetention;
  constexpr int64_t kMost = int64_t{100} * 365 * 86400;
  const auto seconds = ParseNumber<int64_t>(text);
  if (!seconds || *seconds < 0 || *seconds > kMost) {
    return Error{ErrorCode::kUsage, "tony-site.xml: tony.history.retention-sec: invalid number of seconds '" + text +
                                        "'; write a whole number, for example 2592000"};
  }
  return Duration(std::chrono::seconds(*seconds));
}

int PrintOutcome(const storage::history::Outcome& outcome, const ArchiveOptions& options) {
  if (options.json) {
    output::Print(Json{{"dry_run", options.dry_run}, {"done", outcome.lines}, {"problems", outcome.problems}}.dump(
                      -1, ' ', false, Json::error_handler_t::replace) +
                  "\n");
  } else {
    for (const std::string& line : outcome.lines)
      output::Print((options.dry_run ? "would have " : "") + Shown(line) + "\n");
  }
  for (const std::string& problem : outcome.problems) output::PrintNote(problem);
  return outcome.problems.empty() ? client::kExitOk : client::kExitFailed;
}

Result<client::HistorySource> OpenTony(client::Connection& connection, const ArchiveOptions& options) {
  auto source = client::HistorySource::Open(connection, options.directory, output::PrintNote);
  if (!source.ok() || source->tony() != nullptr) return source;
  return Error{ErrorCode::kUsage,
               "history: no directory given; write --dir URI, or set TONY_CONF_DIR to a directory whose tony-site.xml "
               "has tony.history.location"};
}

storage::history::StatusOf StatusFrom(const client::HistorySource& source) {
  return [&source](const std::string& id) -> Result<journal::JobView> {
    HOWDAH_TRY(const JobId known, source.cluster().Resolve(id));
    return source.cluster().Status(known);
  };
}

storage::history::Mode ModeOf(const ArchiveOptions& options) {
  return options.dry_run ? storage::history::Mode::kDryRun : storage::history::Mode::kApply;
}

}  // namespace

Result<int> MoveHistory(client::Connection& connection, const ArchiveOptions& options) {
  HOWDAH_TRY(const client::HistorySource source, OpenTony(connection, options));
  HOWDAH_TRY(const client::TonySettings site, client::ReadTonySite());
  HOWDAH_TRY(const auto offset, client::TimeZone(ZoneName(options, site)));
  const client::TonyDirectory& tony = *source.tony();
  HOWDAH_TRY(const auto outcome,
             storage::history::Move(*tony.files, tony.location, offset, StatusFrom(source), ModeOf(options)));
  return PrintOutcome(outcome, options);
}

Result<int> PurgeHistory(client::Connection& connection, const ArchiveOptions& options) {
  HOWDAH_TRY(const client::HistorySource source, OpenTony(connection, options));
  HOWDAH_TRY(const client::TonySettings site, client::ReadTonySite());
  HOWDAH_TRY(const auto offset, client::TimeZone(ZoneName(options, site)));
  HOWDAH_TRY(const Duration retention, Retention(options, site));
  const client::TonyDirectory& tony = *source.tony();
  const Instant before = os::process::Clock().Now() - retention;
  HOWDAH_TRY(const auto outcome,
             storage::history::Purge(*tony.files, tony.location, before, offset, StatusFrom(source), ModeOf(options)));
  return PrintOutcome(outcome, options);
}

}  // namespace howdah::cli::commands
