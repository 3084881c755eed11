#include "history_archive.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "history_source.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/history/keep.h"
#include "terminal.h"
#include "time_zone.h"

namespace howdah::cli {
namespace {

using Json = nlohmann::ordered_json;
using compat::tony::history::Setting;

// As TonY's portal has it where nothing is said.
constexpr Duration kRetention = std::chrono::days(30);

std::string ZoneName(const HistoryArguments& arguments, const std::vector<Setting>& site) {
  if (!arguments.time_zone.empty()) return arguments.time_zone;
  const std::string named = compat::tony::history::ValueOf(site, "tony.history.finished-dir-timezone");
  return named.empty() ? "UTC" : named;
}

Result<Duration> Retention(const HistoryArguments& arguments, const std::vector<Setting>& site) {
  if (arguments.older_than) return *arguments.older_than;
  const std::string text = compat::tony::history::ValueOf(site, "tony.history.retention-sec");
  if (text.empty()) return kRetention;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr int64_t kMost = int64_t{100} * 365 * 86400;
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kMost) {
    return Error{ErrorCode::kUsage,
                 "tony-site.xml: tony.history.retention-sec: '" + text + "' is no number of seconds"};
  }
  return Duration(std::chrono::seconds(seconds));
}

int Tell(const storage::history::Done& done, const Arguments& arguments) {
  if (arguments.json) {
    Print(Json{{"dry_run", arguments.history.dry_run}, {"done", done.lines}, {"problems", done.problems}}.dump(
              -1, ' ', false, Json::error_handler_t::replace) +
          "\n");
  } else {
    for (const std::string& line : done.lines) Print((arguments.history.dry_run ? "would have " : "") + line + "\n");
  }
  for (const std::string& problem : done.problems) Say("howdah: " + problem);
  return done.problems.empty() ? kExitOk : kExitFailed;
}

}  // namespace

int KeepHistory(Shell& shell, const Arguments& arguments) {
  const HistoryArguments& wanted = arguments.history;
  auto source = OpenTony(shell, wanted);
  if (!source.ok()) return Report(source.error());
  const auto site = TonySite();
  if (!site.ok()) return Report(site.error());
  const auto ahead = TimeZone(ZoneName(wanted, *site));
  if (!ahead.ok()) return Report(ahead.error());
  const auto retention = Retention(wanted, *site);
  if (!retention.ok()) return Report(retention.error());
  const storage::history::StatusOf status_of = [&](const std::string& id) -> Result<journal::JobView> {
    const auto known = source->place().Resolve(id);
    if (!known.ok()) return known.error();
    return source->place().Status(*known);
  };
  const auto what = wanted.dry_run ? storage::history::Do::kNothing : storage::history::Do::kIt;
  const TonyDirectory& tony = *source->tony();
  const auto done = wanted.action == "move"
                        ? storage::history::Move(*tony.files, tony.location, *ahead, status_of, what)
                        : storage::history::Purge(*tony.files, tony.location, os::process::Clock().Now() - *retention,
                                                  *ahead, status_of, what);
  return done.ok() ? Tell(*done, arguments) : Report(done.error());
}

}  // namespace howdah::cli
