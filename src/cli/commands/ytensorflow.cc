// `howdah ytensorflow`: the client of Slider's TensorFlow package, with its own command line.
#include <algorithm>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/slider_job.h"
#include "howdah/compat/slider/keys.h"
#include "saved_jobs.h"
#include "translated_job.h"

namespace howdah::cli::commands {
namespace {

constexpr char kUsage[] =
    "usage: howdah ytensorflow cluster -start CONF -files FILE...   create an application and start it\n"
    "       howdah ytensorflow cluster -stop NAME                   stop an application\n"
    "       howdah ytensorflow cluster -status NAME                 show its status\n"
    "\n"
    "CONF has the format of ytensorflow/config.default.json in Slider's TensorFlow package.\n"
    "  -on BACKEND   yarn (default) or local\n"
    "  -print-job    print the job file instead of starting the application\n"
    "  -plan         show what would run, and the keys without effect\n"
    "  -keys         print the translation of each key\n";

struct YtensorflowFlags {
  std::string start, stop, status, on;
  std::vector<std::string> files;
  bool print_job = false, plan = false, keys = false, help = false;
};

// A flag may have one or two dashes.
std::string FlagIn(const std::string& word) {
  if (word.size() < 2 || word.front() != '-') return "";
  return word.substr(word[1] == '-' ? 2 : 1);
}

Error UsageError(const std::string& text) {
  return Error{ErrorCode::kUsage, "ytensorflow: " + text + "; `howdah ytensorflow -help` shows the flags"};
}

Result<YtensorflowFlags> ParseYtensorflow(const std::vector<std::string>& words) {
  YtensorflowFlags flags;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string flag = FlagIn(words[i]);
    if (i == 0 && words[i] == "cluster") continue;
    bool* const set = flag == "print-job" ? &flags.print_job
                      : flag == "plan"    ? &flags.plan
                      : flag == "keys"    ? &flags.keys
                      : flag == "help"    ? &flags.help
                                          : nullptr;
    std::string* const value = flag == "start"    ? &flags.start
                               : flag == "stop"   ? &flags.stop
                               : flag == "status" ? &flags.status
                               : flag == "on"     ? &flags.on
                                                  : nullptr;
    if (set != nullptr) {
      *set = true;
    } else if (value != nullptr) {
      if (i + 1 == words.size()) return UsageError("-" + flag + " needs a value");
      *value = words[++i];
    } else if (flag == "files") {
      while (i + 1 < words.size() && FlagIn(words[i + 1]).empty()) flags.files.push_back(words[++i]);
      if (flags.files.empty()) return UsageError("-files needs a value");
    } else {
      return UsageError("unknown word '" + words[i] + "'");
    }
  }
  const int ways = static_cast<int>(!flags.start.empty()) + static_cast<int>(!flags.stop.empty()) +
                   static_cast<int>(!flags.status.empty());
  if (ways != 1 && !flags.keys && !flags.help) return UsageError("write one of -start, -stop and -status");
  return flags;
}

Result<int> StartCluster(client::Connection& connection, const SavedTool& tool, const YtensorflowFlags& flags) {
  client::TensorflowRequest request;
  request.configuration = flags.start;
  request.files = flags.files;
  request.on_cluster = connection.on() != "local";
  HOWDAH_TRY(client::TranslatedJob job, client::ReadYtensorflowJob(connection, request));
  const TranslatedRun options{
      .print_job = flags.print_job, .plan = flags.plan, .plan_flag = "howdah ytensorflow cluster ... -plan"};
  HOWDAH_TRY(const std::optional<int> shown, ShowTranslated(connection, job, options));
  if (shown) return *shown;
  // As the script of the package: an application that does not run is replaced.
  const std::string name = job.job.spec.name;
  if (tool.applications.Directory(name).ok()) {
    HOWDAH_TRY(const int destroyed, DestroySaved(connection, tool, name, /*force=*/false));
    if (destroyed != client::kExitOk) return destroyed;
  }
  return CreateSaved(connection, tool, {name, std::move(job.job), {}}, /*start=*/true);
}

Result<int> Ytensorflow(client::Connection& connection, const std::vector<std::string>& words) {
  HOWDAH_TRY(const YtensorflowFlags flags, ParseYtensorflow(words));
  if (flags.help || flags.keys) {
    output::Print(flags.help ? kUsage : compat::slider::KeysText());
    return client::kExitOk;
  }
  HOWDAH_TRY(auto applications, client::SavedApplications::Open("slider"));
  const SavedTool tool{std::move(applications), "howdah slider"};
  if (!flags.stop.empty()) return StopSaved(connection, tool, flags.stop);
  if (!flags.status.empty()) return ShowSaved(connection, tool, flags.status, /*json=*/false);
  connection.SetOn(ChosenBackend(connection, flags.on, "yarn"));
  return StartCluster(connection, tool, flags);
}

}  // namespace

args::Command YtensorflowCommand(client::Connection& connection) {
  return {"ytensorflow", "Run TensorFlow clusters with the client of Slider's TensorFlow package",
          "  howdah ytensorflow cluster -start config.json -files mnist.py",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto words = std::make_shared<std::vector<std::string>>();
            syntax.RawWords(*words);
            return [&connection, words] { return Ytensorflow(connection, *words); };
          }};
}

}  // namespace howdah::cli::commands
