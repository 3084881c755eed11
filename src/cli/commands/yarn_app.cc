// `howdah yarn-app`: services of Yarnfiles, translated into job files, with the flags of `yarn app`.
#include <algorithm>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/job_request.h"
#include "howdah/client/yarn_service.h"
#include "howdah/compat/yarnfile/keys.h"
#include "howdah/compat/yarnfile/translate.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/os/files/files.h"
#include "saved_jobs.h"
#include "translated_job.h"

namespace howdah::cli::commands {
namespace {

namespace yarnfile = compat::yarnfile;
using yarnfile::Action;

constexpr char kQuicklinks[] = "quicklinks";
constexpr size_t kLongestQuicklinks = size_t{4} << 20;

// A service runs on YARN, or where it ran before, unless the user says otherwise.
Result<std::string> BackendOfService(const client::Connection& connection, const SavedTool& tool,
                                     const yarnfile::Flags& flags) {
  std::string before = "yarn";
  if (flags.action == Action::kStart) {
    HOWDAH_TRY(const auto id, tool.applications.Job(flags.name));
    if (id) before = client::BackendOfId(id->text).value_or("yarn");
  }
  return ChosenBackend(connection, flags.on, before);
}

// Reads the Yarnfile, and saves the service. `start`: starts it, too.
Result<int> CreateService(client::Connection& connection, const SavedTool& tool, const yarnfile::Flags& flags,
                          bool start) {
  HOWDAH_TRY(const std::string on, BackendOfService(connection, tool, flags));
  connection.SetOn(on);
  HOWDAH_TRY(client::YarnService service, client::ReadYarnService(connection, flags));
  TranslatedRun options{
      .print_job = flags.print_job, .plan = flags.plan, .plan_flag = "howdah yarn-app -launch ... -plan"};
  options.run.json = flags.json;
  HOWDAH_TRY(const std::optional<int> shown, ShowTranslated(connection, service.job, options));
  if (shown) return *shown;
  return CreateSaved(
      connection, tool,
      {flags.name, std::move(service.job.job), {{kQuicklinks, client::WriteQuicklinks(service.quicklinks)}}}, start);
}

Result<int> StatusOfService(client::Connection& connection, const SavedTool& tool, const yarnfile::Flags& flags) {
  HOWDAH_TRY(const auto job, FindNewestJob(connection, tool, flags.name));
  HOWDAH_TRY(const int code, ShowSaved(connection, tool, flags.name, flags.json));
  if (code != client::kExitOk || flags.json) return code;
  HOWDAH_TRY(const std::string directory, tool.applications.Directory(flags.name));
  const auto text = os::files::ReadFile(directory + "/" + kQuicklinks, kLongestQuicklinks);
  const auto links = client::ReadQuicklinks(text.ok() ? *text : "");
  if (!links.empty()) output::Print("\nquick links:\n");
  for (const auto& [name, address] : links) {
    const std::string resolved = yarnfile::ResolveHosts(address, [&](const std::string& role, int index) {
      const journal::TaskView* task = job ? job->view.Find(role, index) : nullptr;
      const std::string host = task == nullptr ? "" : task->host.empty() ? task->node : task->host;
      return host.empty() ? role + "-" + std::to_string(index) : host;
    });
    output::Print("  " + name + "  " + resolved + "\n");
  }
  return code;
}

// Sets the number with which the saved service starts next.
Status SaveNumber(const SavedTool& tool, const std::string& name, const std::string& component, int number,
                  bool may_exceed) {
  HOWDAH_TRY(const std::string text, tool.applications.JobFile(name));
  HOWDAH_TRY(jobspec::SubmitHost host, client::SubmitHostHere(name));
  host.variable = nullptr;   // the saved text has no variables
  host.path_kind = nullptr;  // only the number changes
  jobspec::ParsedJob job = jobspec::ParseJobFile(text, host);
  if (!job.problems.empty()) return Failed("reading the saved service: " + job.problems.front().ToText());
  std::vector<std::string_view> names;
  for (jobspec::RoleSpec& role : job.spec.roles) {
    names.push_back(role.name);
    if (role.name != component) continue;
    if (!role.restart.always) {
      return Error{ErrorCode::kUsage, "component " + component +
                                          " cannot be flexed: only components with "
                                          "restart_policy ALWAYS can, as in YARN"};
    }
    if (!may_exceed && number > role.instances.max) return {};  // the running job reports it
    role.instances = {number, std::max(number, role.instances.elastic() ? role.instances.max : number)};
    return tool.applications.SetJobFile(name, jobspec::DescribeEffective(job.spec));
  }
  const std::string nearest(keyfile::Nearest(component, names));
  return Error{ErrorCode::kUsage, name + " has no component '" + component + "'" +
                                      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?")};
}

Result<int> FlexService(client::Connection& connection, const SavedTool& tool, const yarnfile::Flags& flags) {
  HOWDAH_TRY(const auto live, FindLiveJob(connection, tool, flags.name));
  for (const auto& [component, number] : flags.components) {
    if (number < 1) {
      return Error{ErrorCode::kUsage,
                   "-component " + component + " 0: a component has at least 1 container; `-stop` stops the service"};
    }
    if (live) {
      const auto scaled = ScaleSaved(connection, tool, flags.name, component, number);
      if (!scaled.ok()) {
        return Error::WithRemedy(
            scaled.error().code, scaled.error().message,
            "launch the service with -max " + component + "=N, or stop it, flex it and start it again");
      }
    }
    HOWDAH_TRY_STATUS(SaveNumber(tool, flags.name, component, number, /*may_exceed=*/!live));
    if (!live) {
      output::PrintMessage(flags.name + ": starts with " + std::to_string(number) + " of " + component +
                           " the next time");
    }
  }
  return client::kExitOk;
}

Result<int> YarnApp(client::Connection& connection, const std::vector<std::string>& words) {
  HOWDAH_TRY(const yarnfile::Flags flags, yarnfile::ParseFlags(words));
  if (flags.action == Action::kHelp || flags.action == Action::kKeys) {
    output::Print(flags.action == Action::kHelp ? yarnfile::FlagsHelp() : yarnfile::KeysPage());
    return client::kExitOk;
  }
  HOWDAH_TRY(auto applications, client::SavedApplications::Open("yarn-app"));
  const SavedTool tool{std::move(applications), "howdah yarn-app"};
  if (!flags.on.empty()) connection.SetOn(flags.on);
  switch (flags.action) {
    case Action::kLaunch:
      return CreateService(connection, tool, flags, /*start=*/true);
    case Action::kSave:
      return CreateService(connection, tool, flags, /*start=*/false);
    case Action::kStart: {
      HOWDAH_TRY(const std::string on, BackendOfService(connection, tool, flags));
      connection.SetOn(on);
      return StartSaved(connection, tool, flags.name);
    }
    case Action::kStop:
      return StopSaved(connection, tool, flags.name);
    case Action::kDestroy:
      return DestroySaved(connection, tool, flags.name, /*force=*/true);
    case Action::kStatus:
      return StatusOfService(connection, tool, flags);
    case Action::kFlex:
      return FlexService(connection, tool, flags);
    default:
      return ListSaved(connection, tool);
  }
}

}  // namespace

args::Command YarnAppCommand(client::Connection& connection) {
  return {"yarn-app", "Run services of Hadoop's YARN services from their Yarnfiles",
          "  howdah yarn-app -launch web web.json\n  howdah yarn-app -status web\n  howdah yarn-app -stop web",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto words = std::make_shared<std::vector<std::string>>();
            syntax.RawWords(*words);
            return [&connection, words] { return YarnApp(connection, *words); };
          }};
}

}  // namespace howdah::cli::commands
