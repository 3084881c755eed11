#include "history_arguments.h"

#include <CLI/CLI.hpp>

namespace howdah::cli {
namespace {

CLI::App* AddAction(CLI::App& history, Arguments& to, const std::string& name, const std::string& help,
                    const std::string& example) {
  CLI::App* action = history.add_subcommand(name, help);
  action->footer("Example:\n" + example);
  action
      ->add_option("--dir", to.history.dir,
                   "A history of TonY: a directory or URI. Default: this place's own jobs, and tony.history.location "
                   "of $TONY_CONF_DIR/tony-site.xml")
      ->type_name("URI");
  action->add_flag("--json", to.json, "Print JSON");
  action->fallthrough();
  action->callback([&to, name] { to.history.action = name; });
  return action;
}

CLI::App* AddLook(CLI::App& history, Arguments& to, const std::string& name, const std::string& help) {
  CLI::App* look = AddAction(history, to, name, help,
                             "  howdah history " + name + " application_1541469337545_0031 --dir hdfs:///tony-history");
  look->add_option("id", to.id, "The job: its id, or `last`")->required()->type_name("ID");
  return look;
}

// "7d": that long ago; a date, at its beginning in UTC; a time as the list shows it.
std::optional<Instant> ParseWhen(const std::string& text, Instant now) {
  if (const auto ago = ParseDuration(text)) return now - *ago;
  for (const char* rest : {"", "Z", ".000Z", "T00:00:00.000Z"}) {
    if (const auto instant = ParseInstant(text + rest)) return instant;
  }
  return std::nullopt;
}

void AddWhen(CLI::App* action, const std::string& name, std::optional<Instant>& value, Instant now,
             const std::string& help) {
  action
      ->add_option_function<std::string>(
          name,
          [&value, name, now](const std::string& text) {
            value = ParseWhen(text, now);
            if (!value) {
              throw CLI::ValidationError(
                  name, "'" + text + "' is no time; write 2026-11-21, 2026-11-21T06:45:12 (UTC) or 7d (ago)");
            }
          },
          help)
      ->type_name("TIME");
}

void AddList(CLI::App& history, Arguments& to, Instant now) {
  CLI::App* list = AddAction(history, to, "list", "Jobs, newest first",
                             "  howdah history list --user ann --status FAILED --since 7d\n"
                             "  howdah history list --dir hdfs:///tony-history --json | jq -r '.[].id'");
  list->add_option("--user", to.history.user, "Of this user")->type_name("NAME");
  list->add_option("--status", to.history.status, "SUCCEEDED, FAILED, KILLED or RUNNING")
      ->type_name("STATE")
      ->check(CLI::IsMember({"QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUCCEEDED", "FAILED", "KILLED"}));
  list->add_option("--name", to.history.name, "Whose name has this text in it")->type_name("TEXT");
  AddWhen(list, "--since", to.history.since, now, "That ended at or after this time, or run still");
  AddWhen(list, "--until", to.history.until, now, "That started before this time");
}

void AddKeepers(CLI::App& history, Arguments& to) {
  CLI::App* move = AddAction(history, to, "move", "Move jobs that have ended to finished/YYYY/MM/DD, as TonY's portal",
                             "  */5 * * * * howdah history move --dir hdfs:///tony-history --on yarn   # in a crontab");
  CLI::App* purge = AddAction(history, to, "purge", "Remove jobs that are older than a retention, as TonY's portal",
                              "  howdah history purge --dir hdfs:///tony-history --older-than 30d --dry-run");
  purge
      ->add_option_function<std::string>(
          "--older-than",
          [&to](const std::string& text) {
            to.history.older_than = ParseDuration(text);
            if (!to.history.older_than)
              throw CLI::ValidationError("--older-than", "'" + text + "' is no duration; write 30d");
          },
          "Default: tony.history.retention-sec of tony-site.xml, else 30d")
      ->type_name("DURATION");
  for (CLI::App* keeper : {move, purge}) {
    keeper->add_flag("--dry-run", to.history.dry_run, "Only say what would be done");
    keeper
        ->add_option("--time-zone", to.history.time_zone,
                     "Of the directories of days. Default: tony.history.finished-dir-timezone, else UTC")
        ->type_name("ZONE");
  }
}

}  // namespace

void AddHistory(CLI::App& app, Arguments& to, Instant now) {
  CLI::App* history = app.add_subcommand("history", "Jobs that have run: Howdah's own, and those of a history of TonY");
  history->footer(
      "Example:\n  howdah history list --since 7d\n  howdah history diff ID1 ID2\n"
      "`howdah history ACTION --help` says more about an action.");
  history->fallthrough();
  history->require_subcommand(1);
  AddList(*history, to, now);
  AddLook(*history, to, "show", "One job in detail, with every task");
  AddLook(*history, to, "events", "What happened, one line an event");
  AddLook(*history, to, "config", "The configuration it ran with");
  AddLook(*history, to, "metrics", "What was measured of each task");
  CLI::App* diff = AddAction(*history, to, "diff", "What differs between two runs: configuration and outcome",
                             "  howdah history diff last application_1541469337545_0031");
  diff->add_option("before", to.id, "A job")->required()->type_name("ID1");
  diff->add_option("after", to.history.other, "Another")->required()->type_name("ID2");
  AddKeepers(*history, to);
}

}  // namespace howdah::cli
