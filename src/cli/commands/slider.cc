// `howdah slider`: applications of Apache Slider, translated into job files.
#include <memory>

#include "howdah/base/number.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/slider_job.h"
#include "howdah/compat/slider/keys.h"
#include "saved_jobs.h"
#include "translated_job.h"

namespace howdah::cli::commands {
namespace {

struct SliderArguments {
  client::SliderRequest request;
  bool print_job = false, plan = false, json = false, live = false, force = false;
  std::string component, instances;
};

constexpr char kSlider[] = "howdah slider";

Result<SavedTool> OpenSlider() {
  HOWDAH_TRY(auto applications, client::SavedApplications::Open("slider"));
  return SavedTool{std::move(applications), kSlider};
}

// Slider runs only on YARN, so YARN is the default. `before`: the application's newest job, if it has one.
void ChooseBackend(client::Connection& connection, const std::optional<JobId>& before = {}) {
  const auto there = before ? client::BackendOfId(before->text) : std::nullopt;
  connection.SetOn(ChosenBackend(connection, /*flag=*/"", there.value_or("yarn")));
}

std::optional<int> PositiveNumber(const std::string& text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 1 ? number : std::nullopt;
}

// Takes one --max: "worker=8".
std::string TakeMaximum(client::SliderRequest& request, const std::string& text) {
  const size_t equals = text.rfind('=');
  const auto number = equals == text.npos ? std::nullopt : PositiveNumber(text.substr(equals + 1));
  if (!number || equals == 0) return "'" + text + "' is not COMPONENT=N; write for example worker=8";
  request.maxima.emplace_back(text.substr(0, equals), *number);
  return "";
}

Result<int> Create(client::Connection& connection, const SliderArguments& arguments, bool start) {
  ChooseBackend(connection);
  HOWDAH_TRY(const SavedTool tool, OpenSlider());
  HOWDAH_TRY(client::TranslatedJob job, client::ReadSliderJob(connection, arguments.request));
  const TranslatedRun options{.print_job = arguments.print_job,
                              .plan = arguments.plan,
                              .plan_flag = std::string(kSlider) + " create ... --plan"};
  HOWDAH_TRY(const std::optional<int> shown, ShowTranslated(connection, job, options));
  if (shown) return *shown;
  return CreateSaved(connection, tool, {arguments.request.name, std::move(job.job), {}}, start);
}

// Exit code 0 if the application exists, with --live if it runs, and otherwise 1.
Result<int> Exists(client::Connection& connection, const SliderArguments& arguments) {
  HOWDAH_TRY(const SavedTool tool, OpenSlider());
  const std::string& name = arguments.request.name;
  const auto directory = tool.applications.Directory(name);
  if (!directory.ok() && directory.error().code != ErrorCode::kNotFound) return directory.error();
  bool found = directory.ok();
  if (found && arguments.live) {
    HOWDAH_TRY(const auto job, FindLiveJob(connection, tool, name));
    found = job.has_value();
  }
  output::PrintMessage(name + (found ? " exists" : " does not exist") +
                       (arguments.live ? " as a running application" : ""));
  return found ? client::kExitOk : client::kExitFailed;
}

Result<int> Flex(client::Connection& connection, const SliderArguments& arguments) {
  const auto instances = PositiveNumber(arguments.instances);
  if (arguments.component.empty() || !instances) {
    return Error{ErrorCode::kUsage, "slider flex: write --component COMPONENT N, with N of 1 or more"};
  }
  HOWDAH_TRY(const SavedTool tool, OpenSlider());
  return ScaleSaved(connection, tool, arguments.request.name, arguments.component, *instances);
}

using Action = Result<int> (*)(client::Connection& connection, const SliderArguments& arguments);
using Declare = void (*)(args::Syntax& syntax, SliderArguments& arguments);

void DeclareCreate(args::Syntax& syntax, SliderArguments& arguments) {
  client::SliderRequest& request = arguments.request;
  syntax.Text("--appdef", "DIR|ZIP", request.package, "The package");
  syntax.Text("--template", "FILE", request.app_config, "appConfig.json");
  syntax.Text("--resources", "FILE", request.resources, "resources.json");
  syntax.Text("--metainfo", "FILE", request.metainfo, "metainfo.json, instead of that of the package");
  syntax.Text("--queue", "QUEUE", request.queue, "The queue");
  syntax.Each(
      "--max", "C=N", [&request](const std::string& text) { return TakeMaximum(request, text); },
      "Largest number of instances of a component, for `flex`");
  syntax.Flag("--docker", request.docker, "Run the tasks in site.global.docker.image");
  syntax.Flag("--print-job", arguments.print_job, "Print the job file instead of creating the application");
  syntax.Flag("--plan", arguments.plan, "Show what would run, and the keys without effect");
}

void AddSliderAction(args::Syntax& syntax, client::Connection& connection, const char* name, const char* help,
                     const std::string& example, Declare declare, Action run) {
  syntax.Action(name, help, "  howdah slider " + example, [=, &connection](args::Syntax& inner) -> args::Runner {
    const auto arguments = std::make_shared<SliderArguments>();
    if (std::string_view(name) != "list") {
      inner.Positional("name", "NAME", arguments->request.name, args::Presence::kRequired, "The application");
    }
    if (declare != nullptr) declare(inner, *arguments);
    return [run, &connection, arguments] { return run(connection, *arguments); };
  });
}

void AddActions(args::Syntax& syntax, client::Connection& connection) {
  const auto add = [&](const char* name, const char* help, const std::string& example, Declare declare, Action run) {
    AddSliderAction(syntax, connection, name, help, example, declare, run);
  };
  const std::string files = "NAME --appdef DIR --template appConfig.json --resources resources.json";
  add("create", "Create an application and start it", "create " + files, &DeclareCreate,
      [](client::Connection& c, const SliderArguments& a) { return Create(c, a, /*start=*/true); });
  add("build", "Create an application without starting it", "build " + files, &DeclareCreate,
      [](client::Connection& c, const SliderArguments& a) { return Create(c, a, /*start=*/false); });
  add("start", "Start a stopped application", "start NAME", nullptr,
      [](client::Connection& c, const SliderArguments& a) -> Result<int> {
        HOWDAH_TRY(const SavedTool tool, OpenSlider());
        HOWDAH_TRY(const std::optional<JobId> before, tool.applications.Job(a.request.name));
        ChooseBackend(c, before);
        return StartSaved(c, tool, a.request.name);
      });
  add("stop", "Stop a running application", "stop NAME", nullptr,
      [](client::Connection& c, const SliderArguments& a) -> Result<int> {
        HOWDAH_TRY(const SavedTool tool, OpenSlider());
        return StopSaved(c, tool, a.request.name);
      });
  add(
      "destroy", "Remove a stopped application", "destroy NAME",
      [](args::Syntax& s, SliderArguments& a) { s.Flag("--force", a.force, "Stop the application first, if it runs"); },
      [](client::Connection& c, const SliderArguments& a) -> Result<int> {
        HOWDAH_TRY(const SavedTool tool, OpenSlider());
        return DestroySaved(c, tool, a.request.name, a.force);
      });
  add(
      "status", "Show the job of an application", "status NAME --json",
      [](args::Syntax& s, SliderArguments& a) { s.Json(a.json, "Print one JSON object"); },
      [](client::Connection& c, const SliderArguments& a) -> Result<int> {
        HOWDAH_TRY(const SavedTool tool, OpenSlider());
        return ShowSaved(c, tool, a.request.name, a.json);
      });
  add("list", "List the applications", "list", nullptr,
      [](client::Connection& c, const SliderArguments&) -> Result<int> {
        HOWDAH_TRY(const SavedTool tool, OpenSlider());
        return ListSaved(c, tool);
      });
  add(
      "exists", "Exit with 0 if there is an application of this name, otherwise with 1", "exists NAME --live",
      [](args::Syntax& s, SliderArguments& a) { s.Flag("--live", a.live, "Only if it runs"); }, &Exists);
  add(
      "flex", "Change the number of instances of a component that --max named", "flex NAME --component worker 4",
      [](args::Syntax& s, SliderArguments& a) {
        s.Text("--component", "COMPONENT", a.component, "The component");
        s.Positional("instances", "N", a.instances, args::Presence::kOptional, "Its new number of instances");
      },
      &Flex);
}

}  // namespace

args::Command SliderCommand(client::Connection& connection) {
  return {"slider", "Create, start and stop applications of Apache Slider",
          "  howdah slider create mnist --appdef . --template appConfig.json --resources resources.json\n"
          "  howdah slider status mnist",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto keys = std::make_shared<bool>(false);
            syntax.Flag("--keys", *keys, "Print the translation of each key of Slider's files");
            AddActions(syntax, connection);
            return [keys]() -> Result<int> {
              if (!*keys) return Error{ErrorCode::kUsage, "slider: name an action, as in `howdah slider list`"};
              output::Print(compat::slider::KeysText());
              return client::kExitOk;
            };
          }};
}

}  // namespace howdah::cli::commands
